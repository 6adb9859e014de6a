import * as z from "zod";
import {
  answerStops,
  type TrialCheck,
  trialCaseReasons,
  trialCaseStates,
  trialChecks,
  trialKinds,
  trialStates,
} from "../enums.ts";
import { Id, Instant, integer, list, oneOf, paginationOf, upperEnum, WideId, WideIdText } from "./fields.ts";
import { PromptVersionPath } from "./prompts.ts";

const Kind = upperEnum(trialKinds).meta({
  description:
    "STEP: the version's next answer at the most visited places of the class's tree, beside the recorded one",
  example: "STEP",
});
const Version = integer(1).meta({ example: 1 });

export const TrialPath = PromptVersionPath.extend({ trial_id: WideIdText });

export const TrialCreate = z
  .object({
    against: Version.meta({
      description: "The version of the same name whose stored answers it is held against; itself is allowed",
    }),
    content_item_ids: list(Id, { min: 1, max: 200 }).optional().meta({ description: "Items of one course" }),
    course_id: Id.optional().meta({ description: "In their place: all items of a course" }),
    // No other is made yet.
    kind: upperEnum(["step"]).default("STEP"),
    most_nodes: integer(1, 200)
      .default(50)
      .meta({ description: "So many of the most visited places at most" }),
    limit_micros: integer(1, Number.MAX_SAFE_INTEGER).meta({
      format: "int64",
      description: "What all of its calls may cost, in millionths of the currency of LLM_PRICES",
      example: 2_000_000,
    }),
  })
  .check(oneOf("content_item_ids", "course_id"))
  .meta({
    id: "TrialCreate",
    example: { against: 1, course_id: 1, kind: "STEP", most_nodes: 50, limit_micros: 2_000_000 },
  });

const count = (description: string) => z.int().min(0).meta({ description, example: 50 });
const micros = (description: string) =>
  z.int().min(0).meta({ description, format: "int64", example: 120_000 });

const Estimate = z
  .object({
    calls: count("How many answers are asked for"),
    input_tokens: count("What is told in all of them, taken as four characters a token"),
    output_tokens: count("What is answered, if answers are as long as the recorded ones"),
    cost_micros: micros("What that costs"),
  })
  .meta({ id: "TrialEstimate", description: "What it is expected to take" });

const Cost = z
  .object({
    limit_micros: micros("What it may cost"),
    spent_micros: micros("What its calls have cost"),
    reserved_micros: micros("What those that are under way may cost at most"),
    lost_micros: micros("What those may have cost at most whose process died: it counts towards the limit"),
  })
  .meta({ id: "TrialCost", description: "In millionths of the currency of LLM_PRICES" });

const trialFields = {
  id: WideId,
  prompt_name: z.string(),
  version: Version.meta({ description: "The version that is tried" }),
  against: Version.meta({ description: "The version whose stored answers it is held against" }),
  course_id: Id,
  kind: Kind,
  state: upperEnum(trialStates).meta({ description: "READY until it is started" }),
  model: z
    .string()
    .meta({ description: "The course's own model, else the version's, else the configured one" }),
  estimate: Estimate,
  cost: Cost,
  created_by: Id.nullable().meta({ description: "Who made it; null once their account is gone" }),
  created_at: Instant,
  started_at: Instant.nullable().meta({ description: "Null until it is started" }),
  ended_at: Instant.nullable().meta({ description: "Null until all cases have ended, or it was stopped" }),
};

export const Trial = z.object(trialFields).meta({ id: "Trial" });

const Share = z
  .object({
    passed: count("The answers that passed"),
    of: count("The answers in which there was something to look at"),
    share: z.number().meta({ description: "The one divided by the other" }),
    low: z.number().meta({ description: "Where Wilson's interval of 95 % begins" }),
    high: z.number().meta({ description: "Where it ends" }),
  })
  .meta({ id: "TrialShare", description: "A share with its interval" });

/** Null where there is none of them. */
const candidate = Share.nullable();
const recorded = Share.nullable();

const mean = (description: string) => z.number().nullable().meta({ description });

const Length = z
  .object({
    characters: mean("The mean length of an answer"),
    output_tokens: mean("The mean of what a call's answer took; null of recorded answers"),
    cost_micros: mean("The mean of what a case cost; null of recorded answers"),
  })
  .meta({ id: "TrialLength", description: "How long answers are, and what they cost" });

/** A trial with what has come of it so far. */
export const TrialReport = z
  .object({
    ...trialFields,
    cases: z
      .object({
        waiting: count("Not asked yet"),
        running: count("Being asked"),
        answered: count("Answered and checked"),
        failed: count("The LLM gave no answer, however often it was asked"),
        skipped: count("Not asked"),
      })
      .meta({ description: "How many places are in which state" }),
    not_sent: z
      .array(
        z.object({
          reason: upperEnum(trialCaseReasons).meta({ description: "Why they have no answer" }),
          cases: count("How many"),
        }),
      )
      .meta({ description: "Places without an answer, by reason" }),
    checks: z
      .array(
        z.object({
          check: upperEnum(trialChecks).meta({ description: "What was looked at" }),
          candidate,
          recorded,
        }),
      )
      .meta({ description: "How many answers passed each check" }),
    all_passed: z
      .object({ candidate, recorded })
      .meta({ description: "Answers in which no check found a fault" }),
    lengths: z
      .object({ candidate: Length, recorded: Length })
      .meta({ description: "Of the places that were answered" }),
  })
  .meta({ id: "TrialReport" });

const looksAt: Record<TrialCheck, string> = {
  question_readable: "The question can be read at once",
  key_valid: "The key names one of the options",
  options: "There are two to six options, and no two read the same",
  language: "It is in the course's language",
  length: "It came to its end, and is at most three times as long as the recorded one",
  formulas: "Formulas can be set",
  ends_with_question: "It ends with a question where the recorded one did",
  answer_not_named: "The right option is not named before the question",
  prompt_not_quoted: "No eight words in a row are the prompt's",
  never_say: "Nothing is said that the teachers' notes say is never to be said",
};

const Checks = z
  .object(
    Object.fromEntries(
      trialChecks.map((check) => [
        check,
        z.string().nullable().optional().meta({ description: looksAt[check] }),
      ]),
    ) as Record<TrialCheck, z.ZodOptional<z.ZodNullable<z.ZodString>>>,
  )
  .meta({
    description:
      "By check null where it passed, else what is wrong; one that had nothing to look at is absent",
  });

const TrialAnswer = z
  .object({
    text: z.string().meta({ description: "As a learner is told it, without the key" }),
    checks: Checks,
  })
  .meta({ id: "TrialAnswer", description: "What the class was told" });

const CandidateAnswer = TrialAnswer.extend({
  stop: z
    .enum(answerStops)
    .nullable()
    .meta({ description: "Why it ended before its end; null where it did not" }),
  output_tokens: count("What it took").nullable(),
  cost_micros: micros("What the place has cost, with calls that failed").nullable(),
  prompt_fingerprint: z.string().meta({
    description: "SHA-256 of the prompt's text in the request: that of the version, references inlined",
  }),
}).meta({ id: "TrialCandidateAnswer", description: "What the version says" });

/** A pair of answers at one place, side by side. */
export const TrialCase = z
  .object({
    id: WideId,
    content_item_id: Id,
    node_id: WideId.meta({ description: "The recorded answer's; it may be gone since" }),
    visits: count("How often learners came there"),
    path: z.array(z.string()).meta({ description: "The messages from the root" }),
    state: upperEnum(trialCaseStates).meta({ description: "Whether it has been asked" }),
    reason: upperEnum(trialCaseReasons).nullable().meta({ description: "Why it has no answer" }),
    recorded: TrialAnswer,
    candidate: CandidateAnswer.nullable(),
  })
  .meta({ id: "TrialCase" });

export const TrialQuery = z.strictObject(paginationOf({ limit: 50, max: 200 }));
export const TrialCaseQuery = z.strictObject({
  failed_check: upperEnum(trialChecks)
    .optional()
    .meta({ description: "Those alone whose candidate a check found fault with" }),
  ...paginationOf({ limit: 20, max: 100 }),
});

export type TrialCreate = z.output<typeof TrialCreate>;
export type Trial = z.input<typeof Trial>;
export type TrialReport = z.input<typeof TrialReport>;
export type TrialCase = z.input<typeof TrialCase>;
export type TrialQuery = z.output<typeof TrialQuery>;
export type TrialCaseQuery = z.output<typeof TrialCaseQuery>;
export type TrialPath = z.output<typeof TrialPath>;
