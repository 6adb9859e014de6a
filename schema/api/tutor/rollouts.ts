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
    is: "Answers with an unreadable question, also after a retry",
  },
  refusals: { least: 0, most: 1, standard: 0.02, is: "Answers that the model refused" },
  cut_offs: { least: 0, most: 1, standard: 0.02, is: "Answers cut off by `max_tokens`" },
  downs: { least: 0, most: 1, standard: 0.02, is: "Answers rated bad by a learner" },
  length: { least: 1, most: 100, standard: 1.5, is: "Average length of an answer" },
  cost: { least: 1, most: 100, standard: 1.5, is: "Average cost of a generated answer" },
  first_word: { least: 1, most: 100, standard: 1.5, is: "Average time to the first word of a call" },
} as const satisfies Record<RolloutLimit, { least: number; most: number; standard: number; is: string }>;

const limitOf = (name: RolloutLimit) => {
  const { least, most, standard, is } = limitsOf[name];
  const over =
    least === 0
      ? "by how much the candidate's share may exceed the base's (0.02: two of a hundred)"
      : "maximum factor of the candidate's value over the base's";
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
      "Limits that stop the rollout automatically, if exceeded with 99.9 % certainty over at least 100 " +
      "answers of each arm. They consider generated answers, and for `downs` all answers to learners",
  });

const Unit = upperEnum(rolloutUnits).meta({
  description:
    "Unit that is assigned to an arm. OFFERING: all learners of an offering, who share one tree. " +
    "PERSON: each person. Learners without an offering are separate units",
});

const Universities = list(Id, { min: 1, max: 200 }).meta({
  description: "Universities whose learners take part; default: all",
  example: [1],
});

export const RolloutCreate = z
  .strictObject({
    candidate_version: Version.meta({ description: "Version to roll out" }),
    share: integer(1, 50).meta({ description: "Percentage of units that receive it", example: 10 }),
    unit: Unit.default("OFFERING"),
    universities: Universities.optional(),
    stop: Limits.prefault({}),
  })
  .meta({ id: "RolloutCreate", example: { candidate_version: 2, share: 10, unit: "OFFERING", stop: {} } });

const rolloutFields = {
  id: Id,
  prompt_name: z.string().meta({ example: "tutor" }),
  candidate_version: Version,
  base_version: Version.meta({ description: "Version labeled `production` at the start" }),
  share: z
    .int()
    .meta({ description: "Percentage of units (1 to 50) that receive the candidate", example: 10 }),
  unit: Unit,
  universities: z.array(Id).nullable().meta({ description: "Null for all" }),
  stop: Limits,
  state: upperEnum(rolloutStates).meta({
    description:
      "RUNNING, PROMOTED (the candidate was labeled `production`), or STOPPED (all units continue with " +
      "`production`)",
  }),
  stop_reason: upperEnum(rolloutStops)
    .nullable()
    .meta({ description: "For STOPPED: BY_HAND, PRODUCTION_MOVED, or the exceeded limit" }),
  author_id: Id.nullable().meta({ description: "Author of the candidate; null if the account was erased" }),
  approved_by: Id.nullable().meta({ description: "Person who started it; null if the account was erased" }),
  ended_by: Id.nullable().meta({
    description: "Person who promoted or stopped it; null if it stopped automatically",
  }),
  created_at: Instant,
  ended_at: Instant.nullable().meta({ description: "Null while it is running" }),
};

export const Rollout = z.object(rolloutFields).meta({ id: "Rollout" });

const count = (description: string) => z.int().min(0).meta({ description, example: 120 });
const mean = (description: string) => z.number().nullable().meta({ description });

const Arm = z
  .object({
    conversations: count("Conversations started in this arm; the following fields cover the newest 2000"),
    turns: count("Answers served to learners, including stored ones"),
    made: count("Answers generated in this arm by an LLM call"),
    calls: count("LLM calls, including retries for unreadable questions"),
    calls_estimated: count("Calls with usage and cost estimated from the length of their texts"),
    malformed: count("Answers with an unreadable question, also after a retry"),
    refusals: count("Answers that the model refused"),
    cut_offs: count("Answers that were cut off"),
    ups: count("Answers rated good by a learner"),
    downs: count("Answers rated bad by a learner"),
    characters: mean("Average length of a generated answer in characters"),
    cost_micros: mean(
      "Average cost of a generated answer, in millionths of the currency of `LLM_PRICES`; null if the " +
        "model has no price",
    ),
    total_cost_micros: z.number().meta({
      description: "Cost of all calls, in millionths of the currency of `LLM_PRICES`",
      example: 120_000,
    }),
    first_word_ms: mean("Average milliseconds to the first word of a call"),
  })
  .meta({ id: "RolloutArm", description: "Figures of one of the two versions" });

const Comparison = z
  .object({
    limit: upperEnum(rolloutLimits).meta({ description: "The compared limit" }),
    base: mean("Share or average in the base's arm; null without data"),
    candidate: mean("Share or average in the candidate's arm; null without data"),
    base_answers: count("Number of answers in the base's arm"),
    candidate_answers: count("Number of answers in the candidate's arm"),
    most: mean("Maximum allowed by the limit; null for no limit"),
    is_exceeded: z
      .boolean()
      .meta({ description: "Whether the limit is exceeded with certainty, which stops the rollout" }),
  })
  .meta({ id: "RolloutComparison", description: "Comparison of the two arms by one limit" });

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
      .meta({ description: "Figures by arm, for conversations started during the rollout" }),
    compared: z.array(Comparison).meta({ description: "Comparison by limit" }),
    warmings: count("Topics whose pre-generation started after the promotion"),
  })
  .meta({ id: "RolloutReport" });

export const RolloutQuery = z.strictObject(paginationOf({ limit: 20, max: 100 }));

export type RolloutCreate = z.output<typeof RolloutCreate>;
export type Rollout = z.input<typeof Rollout>;
export type RolloutReport = z.input<typeof RolloutReport>;
export type RolloutQuery = z.output<typeof RolloutQuery>;
export type RolloutPath = z.output<typeof RolloutPath>;
