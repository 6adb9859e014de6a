import * as z from "zod";
import { thrownOutCredits } from "../../enums.ts";
import { personOnRecord } from "../identity/person-on-record.ts";
import {
  Id,
  IdText,
  Instant,
  integer,
  list,
  lowerEnum,
  pagination,
  text,
  title,
  WideId,
} from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { personOrCode } from "./anonymous.ts";
import { AnswerKey, QuestionKind, QuestionOption, QuestionScoring } from "./questions.ts";

const QuizResponse = z
  .union([text(2000), z.number(), z.boolean(), list(text(64), { max: 20 }), z.null()])
  .meta({
    description:
      "By the question's kind: an option's id, a list of them, true or false, a number, or a text. Null " +
      "removes the answer",
    example: "A",
  });

const responses = list(z.object({ question_id: Id, response: QuizResponse }), { max: 100 });

export const QuizResponses = z
  .object({
    responses: responses.meta({ description: "Questions that are not listed keep their saved answers" }),
  })
  .meta({ id: "QuizResponses" });

export const QuizSubmission = z
  .object({
    responses: responses
      .default([])
      .meta({ description: "Final answers; they replace saved answers to the same questions" }),
  })
  .meta({ id: "QuizSubmission" });

const attempt = {
  id: WideId,
  ...personOrCode,
  course_offering_id: Id,
  content_item_id: Id,
  attempt_number: z.int(),
  is_exam: z.boolean(),
  started_at: Instant,
  due_at: Instant.nullable().meta({
    description: "Deadline of the attempt; answers up to 5 seconds later still count. Null for none",
  }),
  saved_at: Instant.nullable(),
  submitted_at: Instant.nullable().meta({ description: "Null while the attempt is open" }),
  timed_out: z
    .boolean()
    .meta({ description: "Whether the attempt ended by its deadline, with the answers saved by then" }),
  score_obtained: z.number().nullable().meta({ description: "Null until it is graded", example: 8 }),
  max_score: z.number().nullable().meta({ example: 10 }),
  passed: z.boolean().nullable(),
};

export const QuizAttempt = z.object(attempt).meta({ id: "QuizAttempt" });

export const QuizAttemptOfPerson = z
  .object({ ...attempt, ...personOnRecord })
  .meta({ id: "QuizAttemptOfPerson" });

export const ThrownOutCredit = lowerEnum(thrownOutCredits).meta({ example: "no_points" });

const thrownOut = ThrownOutCredit.nullable().meta({
  description:
    "Set if the question was thrown out for everyone: `full_points` gives its points to all, `no_points` removes " +
    "it from the total. If an attempt has no other question, both give its points",
});

const result = z.object({
  points_earned: z.number(),
  is_right: z.boolean().meta({ description: "Whether the answer equals the key in full" }),
  answer: AnswerKey,
  explanation: z.string().nullable(),
});

const AttemptQuestion = z
  .object({
    question_id: Id,
    position: z.int().meta({ description: "Position from 1, fixed at the start" }),
    kind: QuestionKind,
    question_text: z.string(),
    options: z.array(QuestionOption).nullable(),
    points: z.number(),
    scoring: QuestionScoring,
    thrown_out: thrownOut,
    response: QuizResponse,
    result: result.nullable().meta({ description: "Null while correct answers are hidden" }),
  })
  .meta({ id: "AttemptQuestion" });

export const QuizAttemptDetail = z
  .object({
    ...attempt,
    answers_shown: z.boolean().meta({ description: "Whether the caller may see the correct answers now" }),
    questions: z.array(AttemptQuestion),
  })
  .meta({ id: "QuizAttemptDetail" });

export const MyQuiz = z
  .object({
    course_offering_id: Id,
    content_item_id: Id,
    is_exam: z
      .boolean()
      .meta({ description: "Whether it is an exam, during which the course's tutor does not answer" }),
    passing_percent: z.number().meta({ example: 60 }),
    time_limit_seconds: z.int().nullable().meta({
      description:
        "Time limit of the next attempt, which ends when the quiz closes at the latest; null for no limit",
    }),
    closes_at: Instant.nullable().meta({
      description: "When the quiz closes for the caller; null for never",
    }),
    max_attempts: z.int().nullable().meta({ description: "Null for no limit", example: 2 }),
    attempts_taken: z
      .int()
      .meta({ description: "Attempts counted by the limit, including an open one", example: 1 }),
    open_attempt_id: WideId.nullable().meta({
      description: "The open attempt, which the next start returns; null without one",
    }),
    unavailable: z
      .enum(["CLOSED", "NO_ATTEMPT_LEFT", "NO_QUESTIONS"])
      .nullable()
      .meta({ description: "Why no attempt can be started; null if one can be started or is open" }),
  })
  .meta({ id: "MyQuiz" });

export const MyQuizAttemptsQuery = z.object({
  course_offering_id: IdText.optional(),
  content_item_id: IdText.optional(),
  ...pagination,
});

export const QuizAttemptsQuery = listQuery({
  q: searchIn("the name or the email address, or the whole code shown instead of the person"),
  user_id: IdText.optional(),
  sort: sortedBy(["id", "full_name"]),
});

/** A person's own dates for an item. */
export const grantedDates = {
  available_from: Instant.nullish().meta({
    description: "When the item opens for the person, after the modules above it; null for the general date",
  }),
  due_at: Instant.nullish().meta({ description: "When it is due for the person; null for the general date" }),
  no_due_date: z.boolean().optional().meta({
    description: "`true`: no due date for the person; omit `due_at`. Sending `due_at`, or null, withdraws it",
  }),
};

export const datesGranted = {
  available_from: Instant.nullable().meta({
    description: "When the item opens for the person; null for the general date",
  }),
  due_at: Instant.nullable().meta({
    description: "When it is due for the person; null for the general date",
  }),
  no_due_date: z
    .boolean()
    .meta({ description: "Whether the person has no due date, regardless of the general date" }),
};

export const QuizOverrideUpdate = z
  .object({
    time_limit_seconds: integer(1, 31_536_000)
      .nullish()
      .meta({ description: "Seconds; null for the quiz's own limit" }),
    max_attempts: integer(1, 1_000_000)
      .nullish()
      .meta({ description: "Maximum number of attempts; null for the quiz's own" }),
    ...grantedDates,
  })
  .meta({ id: "QuizOverrideUpdate" });

/** A person's accommodations for a quiz; null keeps the quiz's value. */
export const QuizOverride = z
  .object({
    id: Id,
    user_id: Id,
    course_offering_id: Id,
    content_item_id: Id,
    time_limit_seconds: z.int().nullable().meta({
      description: "Time limit of an attempt in seconds; null for the quiz's own",
    }),
    max_attempts: z.int().nullable().meta({
      description: "Maximum number of attempts; null for the quiz's own",
    }),
    ...datesGranted,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "QuizOverride" });

export const QuizRegrade = z
  .object({
    graded: z.int().meta({ description: "Number of closed attempts that were regraded" }),
  })
  .meta({ id: "QuizRegrade" });

/** A question that attempts at the quiz in this offering drew. */
export const QuizQuestion = z
  .object({
    question_id: Id,
    kind: QuestionKind,
    question_text: z.string(),
    points: z.number(),
    attempts: z.int().meta({ description: "Number of attempts with the question" }),
    thrown_out: thrownOut,
    reason: z.string().nullable().meta({ description: "Why it was thrown out" }),
    thrown_out_at: Instant.nullable().meta({ description: "When it was thrown out" }),
  })
  .meta({ id: "QuizQuestion" });

export const QuestionThrowOut = z
  .object({
    thrown_out: ThrownOutCredit.nullable().meta({ description: "Null restores the question" }),
    reason: title(1000).meta({ example: "Two options are correct" }),
  })
  .meta({ id: "QuestionThrowOut" });

export const RegradePreviewQuery = z.object({
  question_id: IdText.optional().meta({ description: "A question to throw out or restore" }),
  thrown_out: ThrownOutCredit.optional().meta({
    description: "Credit that the question would give; absent to restore it",
  }),
});

const graded = z.object({
  score: z.number().meta({ description: "Points of the attempt" }),
  max_score: z.number(),
  passed: z.boolean(),
});

/** The maximum listed in one preview. */
export const maxListedRegradeChanges = 1000;

export const RegradePreview = z
  .object({
    attempts: z.int().meta({ description: "Number of closed attempts that a regrade would grade" }),
    changed: z.int().meta({ description: "Number of attempts with another result" }),
    changes: z
      .array(
        z.object({
          attempt_id: WideId,
          attempt_number: z.int(),
          ...personOrCode,
          ...personOnRecord,
          former: graded.nullable().meta({ description: "Null if the attempt has no grade yet" }),
          present: graded.meta({ description: "The result after the regrade" }),
        }),
      )
      .meta({ description: `By attempt, at most ${maxListedRegradeChanges}` }),
  })
  .meta({ id: "RegradePreview" });

export type QuizResponses = z.output<typeof QuizResponses>;
export type QuizAttempt = z.input<typeof QuizAttempt>;
export type QuizAttemptOfPerson = z.input<typeof QuizAttemptOfPerson>;
export type QuizAttemptDetail = z.input<typeof QuizAttemptDetail>;
export type MyQuiz = z.input<typeof MyQuiz>;
export type MyQuizAttemptsQuery = z.output<typeof MyQuizAttemptsQuery>;
export type QuizAttemptsQuery = z.output<typeof QuizAttemptsQuery>;
export type QuizOverrideUpdate = z.output<typeof QuizOverrideUpdate>;
export type QuizOverride = z.input<typeof QuizOverride>;
export type QuizRegrade = z.input<typeof QuizRegrade>;
export type QuizQuestion = z.input<typeof QuizQuestion>;
export type QuestionThrowOut = z.output<typeof QuestionThrowOut>;
export type RegradePreviewQuery = z.output<typeof RegradePreviewQuery>;
export type RegradePreview = z.input<typeof RegradePreview>;
