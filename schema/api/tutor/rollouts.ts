import * as z from "zod";
import {
  type RolloutLimit,
  rolloutArms,
  rolloutLimits,
  rolloutStates,
  rolloutStops,
  rolloutUnits,
} from "../../enums.ts";
import { Id, IdText, Instant, integer, list, paginationOf, upperEnum } from "../platform/fields.ts";
import { PromptPath } from "./prompts.ts";

const Version = integer(1).meta({ example: 2 });

export const RolloutPath = PromptPath.extend({ rollout_id: IdText });

/** Minimum and default of each limit: shares in percentage points, others as a factor. */
const limitsOf = {
  malformed: {
    least: 0,
    most: 1,
    standard: 0.02,
    is: "Answers whose question could not be read, also at a second try",
  },
  refusals: { least: 0, most: 1, standard: 0.02, is: "Answers that the model refused to give" },
  cut_offs: { least: 0, most: 1, standard: 0.02, is: "Answers that ended before their end, by `max_tokens`" },
  downs: { least: 0, most: 1, standard: 0.02, is: "Answers of which a learner thought badly" },
  length: { least: 1, most: 100, standard: 1.5, is: "The mean length of an answer" },
  cost: { least: 1, most: 100, standard: 1.5, is: "The mean cost of an answer that was made" },
  first_word: { least: 1, most: 100, standard: 1.5, is: "The mean time to the first word of a call" },
} as const satisfies Record<RolloutLimit, { least: number; most: number; standard: number; is: string }>;

const limitOf = (name: RolloutLimit) => {
  const { least, most, standard, is } = limitsOf[name];
  const over =
    least === 0
      ? "by how much their share in the candidate's arm may exceed that in the base's (0.02: two of a hundred)"
      : "how many times as much it may be in the candidate's arm as in the base's";
  return z
    .number()
    .min(least)
    .max(most)
    .nullable()
    .default(standard)
    .meta({ description: `${is}: ${over}; null for no limit`, example: standard });
};

const Limits = z
  .strictObject(
    Object.fromEntries(rolloutLimits.map((name) => [name, limitOf(name)])) as Record<
      RolloutLimit,
      ReturnType<typeof limitOf>
    >,
  )
  .meta({
    id: "RolloutLimits",
    description:
      "What stops a rollout by itself, once it is certain at 99.9 % by at least 100 answers of each arm: of those that were " +
      "made for it, and for `downs` of all that learners got",
  });

const Unit = upperEnum(rolloutUnits).meta({
  description:
    "What an arm is chosen for: OFFERING for all who learn in one offering together, so that a class shares one tree, or " +
    "PERSON. Who learns in no offering is a unit alone",
});

const Universities = list(Id, { min: 1, max: 200 }).meta({
  description: "The universities whose learners it meets; without them it meets those of all",
  example: [1],
});

export const RolloutCreate = z
  .strictObject({
    candidate_version: Version.meta({ description: "The version that some are to meet" }),
    share: integer(1, 50).meta({ description: "How many of a hundred units meet it", example: 10 }),
    unit: Unit.default("OFFERING"),
    universities: Universities.optional(),
    stop: Limits.prefault({}),
  })
  .meta({ id: "RolloutCreate", example: { candidate_version: 2, share: 10, unit: "OFFERING", stop: {} } });

const rolloutFields = {
  id: Id,
  prompt_name: z.string().meta({ example: "tutor" }),
  candidate_version: Version,
  base_version: Version.meta({ description: "The version that was labelled `production` when it began" }),
  share: z.int().meta({ description: "How many of a hundred units meet the candidate", example: 10 }),
  unit: Unit,
  universities: z.array(Id).nullable().meta({ description: "Null for all" }),
  stop: Limits,
  state: upperEnum(rolloutStates).meta({
    description:
      "RUNNING, PROMOTED once the candidate is labelled `production` by it, or STOPPED: then all go on with `production`",
  }),
  stop_reason: upperEnum(rolloutStops)
    .nullable()
    .meta({ description: "Of one that is STOPPED: BY_HAND, PRODUCTION_MOVED, or the limit that stopped it" }),
  author_id: Id.nullable().meta({ description: "Who wrote the candidate; null once their account is gone" }),
  approved_by: Id.nullable().meta({ description: "Who began it; null once their account is gone" }),
  ended_by: Id.nullable().meta({
    description: "Who promoted or stopped it; null where it stopped by itself",
  }),
  created_at: Instant,
  ended_at: Instant.nullable().meta({ description: "Null while it runs" }),
};

export const Rollout = z.object(rolloutFields).meta({ id: "Rollout" });

const count = (description: string) => z.int().min(0).meta({ description, example: 120 });
const mean = (description: string) => z.number().nullable().meta({ description });

const Arm = z
  .object({
    conversations: count("Conversations that were begun in this arm: what follows is of the newest 2000"),
    turns: count("Answers that learners got, stored ones included"),
    made: count("Answers that were made for one of them, by a call of the LLM"),
    calls: count("Calls of the LLM, also for a question that could not be read"),
    malformed: count("Answers whose question could not be read, also at a second try"),
    refusals: count("Answers that the model refused to give"),
    cut_offs: count("Answers that ended before their end"),
    ups: count("Answers of which a learner thought well"),
    downs: count("Answers of which a learner thought badly"),
    characters: mean("The mean length of an answer that was made"),
    cost_micros: mean("The mean cost of an answer that was made; null where the model has no price"),
    total_cost_micros: z.number().meta({ description: "What its calls have cost", example: 120_000 }),
    first_word_ms: mean("The mean time until the first word of a call"),
  })
  .meta({ id: "RolloutArm", description: "What was answered with one of the two versions" });

const Comparison = z
  .object({
    limit: upperEnum(rolloutLimits).meta({ description: "What is compared" }),
    base: mean("In the base's arm: a share or a mean; null where there is nothing"),
    candidate: mean("In the candidate's arm"),
    base_answers: count("Of how many"),
    candidate_answers: count("Of how many"),
    most: mean("What the limit allows; null for none"),
    is_exceeded: z
      .boolean()
      .meta({ description: "Whether it is certain that it is more, so that the rollout stops" }),
  })
  .meta({ id: "RolloutComparison", description: "The two arms by one limit" });

export const RolloutReport = z
  .object({
    ...rolloutFields,
    arms: z
      .object(
        Object.fromEntries(rolloutArms.map((arm) => [arm, Arm])) as Record<
          (typeof rolloutArms)[number],
          typeof Arm
        >,
      )
      .meta({ description: "By arm, of the conversations that were begun while it ran" }),
    compared: z.array(Comparison).meta({ description: "The arms by each limit" }),
    warmings: count("Topics whose answers were begun to be made after the promotion"),
  })
  .meta({ id: "RolloutReport" });

export const RolloutQuery = z.strictObject(paginationOf({ limit: 20, max: 100 }));

export type RolloutCreate = z.output<typeof RolloutCreate>;
export type Rollout = z.input<typeof Rollout>;
export type RolloutReport = z.input<typeof RolloutReport>;
export type RolloutQuery = z.output<typeof RolloutQuery>;
export type RolloutPath = z.output<typeof RolloutPath>;
