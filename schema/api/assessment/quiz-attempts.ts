import * as z from "zod";
import { personOnRecord } from "../identity/person-on-record.ts";
import { Id, IdText, Instant, integer, list, pagination, text, WideId } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { personOrCode } from "./anonymous.ts";
import { AnswerKey, QuestionKind, QuestionOption } from "./questions.ts";

const QuizResponse = z
  .union([text(2000), z.number(), z.boolean(), list(text(64), { max: 20 }), z.null()])
  .meta({
    description:
      "An option's id, a list of them, true or false, a number, or a text, by the question's kind; null takes it back",
    example: "A",
  });

const responses = list(z.object({ question_id: Id, response: QuizResponse }), { max: 100 });

export const QuizResponses = z
  .object({ responses: responses.meta({ description: "Those that are not named stay as they were saved" }) })
  .meta({ id: "QuizResponses" });

export const QuizSubmission = z
  .object({
    responses: responses.default([]).meta({ description: "The last answers, beside what was saved" }),
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
    description: "When its time is up; what arrives up to 5 seconds later still counts",
  }),
  saved_at: Instant.nullable(),
  submitted_at: Instant.nullable().meta({ description: "Null while it is open" }),
  timed_out: z.boolean().meta({ description: "Whether its time ended it, with what was saved by then" }),
  score_obtained: z.number().nullable().meta({ description: "Null until it is graded", example: 8 }),
  max_score: z.number().nullable().meta({ example: 10 }),
  passed: z.boolean().nullable(),
};

export const QuizAttempt = z.object(attempt).meta({ id: "QuizAttempt" });

export const QuizAttemptOfPerson = z
  .object({ ...attempt, ...personOnRecord })
  .meta({ id: "QuizAttemptOfPerson" });

const result = z.object({
  points_earned: z.number(),
  is_right: z.boolean(),
  answer: AnswerKey,
  explanation: z.string().nullable(),
});

const AttemptQuestion = z
  .object({
    question_id: Id,
    position: z.int().meta({ description: "Counts from 1, and stays as it was drawn" }),
    kind: QuestionKind,
    question_text: z.string(),
    options: z.array(QuestionOption).nullable(),
    points: z.number(),
    response: QuizResponse,
    result: result.nullable().meta({ description: "Null while right answers are not shown" }),
  })
  .meta({ id: "AttemptQuestion" });

export const QuizAttemptDetail = z
  .object({
    ...attempt,
    answers_shown: z.boolean().meta({ description: "Whether the reader may see the right answers by now" }),
    questions: z.array(AttemptQuestion),
  })
  .meta({ id: "QuizAttemptDetail" });

export const MyQuiz = z
  .object({
    course_offering_id: Id,
    content_item_id: Id,
    is_exam: z
      .boolean()
      .meta({ description: "While an exam is open, the tutor of its course answers nothing" }),
    passing_percent: z.number().meta({ example: 60 }),
    time_limit_seconds: z.int().nullable().meta({
      description: "That of the next attempt, which ends with the quiz at the latest; null without a limit",
    }),
    closes_at: Instant.nullable().meta({ description: "When the quiz closes for the caller" }),
    max_attempts: z.int().nullable().meta({ description: "Null without a limit", example: 2 }),
    attempts_taken: z
      .int()
      .meta({ description: "As the limit counts them; an open one is one of them", example: 1 }),
    open_attempt_id: WideId.nullable().meta({ description: "The attempt that goes on with the next start" }),
    unavailable: z
      .enum(["CLOSED", "NO_ATTEMPT_LEFT", "NO_QUESTIONS"])
      .nullable()
      .meta({ description: "Why no attempt can be started; null while one can, or is open" }),
  })
  .meta({ id: "MyQuiz" });

export const MyQuizAttemptsQuery = z.object({
  course_offering_id: IdText.optional(),
  content_item_id: IdText.optional(),
  ...pagination,
});

export const QuizAttemptsQuery = listQuery({
  q: searchIn("the name or the e-mail address, or by all of the code of whom it stands for"),
  user_id: IdText.optional(),
  sort: sortedBy(["id", "full_name"]),
});

/** A person's own dates for an item. */
export const grantedDates = {
  available_from: Instant.nullish().meta({
    description:
      "When the item opens for them, once the modules that it is in have opened; null for when it does for the others",
  }),
  due_at: Instant.nullish(),
  no_due_date: z.boolean().optional().meta({
    description:
      "`true`: nothing is due for them, and `due_at` says nothing; a `due_at`, or null, withdraws it",
  }),
};

export const datesGranted = {
  available_from: Instant.nullable(),
  due_at: Instant.nullable(),
  no_due_date: z
    .boolean()
    .meta({ description: "Whether nothing is due for them, whatever holds for the others" }),
};

export const QuizOverrideUpdate = z
  .object({
    time_limit_seconds: integer(1, 31_536_000).nullish().meta({ description: "In place of the quiz's own" }),
    max_attempts: integer(1, 1_000_000).nullish(),
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
    time_limit_seconds: z.int().nullable(),
    max_attempts: z.int().nullable(),
    ...datesGranted,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "QuizOverride" });

export const QuizRegrade = z
  .object({
    graded: z
      .int()
      .meta({ description: "How many closed attempts were graded by what the questions say now" }),
  })
  .meta({ id: "QuizRegrade" });

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
