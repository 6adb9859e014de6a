import * as z from "zod";
import {
  AnswerKey,
  QuestionKind,
  QuestionOption,
  QuestionScoring,
} from "../../schema/api/assessment/questions.ts";
import {
  type QuizAttempt,
  type QuizAttemptDetail,
  ThrownOutCredit,
} from "../../schema/api/assessment/quiz-attempts.ts";
import { toInstant } from "../../schema/db/platform/columns.ts";
import { StoredInstant } from "../platform/db/query/rows.ts";
import { isResponseCorrect } from "./grade-answer.ts";
import { type CalculatedGrade, calculateAttemptGrade } from "./grade-attempt.ts";

/** As `quiz_attempt_json_with_answer_keys` reads it. Contains the keys: never return it unchanged. */
export const StoredAttempt = z.object({
  id: z.int(),
  user_id: z.int(),
  code: z.string().nullable(),
  course_offering_id: z.int(),
  content_item_id: z.int(),
  attempt_number: z.int(),
  is_exam: z.boolean(),
  started_at: StoredInstant,
  due_at: StoredInstant.nullable(),
  saved_at: StoredInstant.nullable(),
  submitted_at: StoredInstant.nullable(),
  timed_out: z.boolean(),
  awaits_grading: z.boolean(),
  score_obtained: z.number().nullable(),
  max_score: z.number().nullable(),
  passing_percent: z.number().nullable(),
  correct_in_row: z.int().nullable(),
  passed: z.boolean().nullable(),
  language: z.string(),
  is_over: z.boolean(),
  answers_shown: z.boolean(),
  questions: z.array(
    z.object({
      question_id: z.int(),
      position: z.int(),
      kind: QuestionKind,
      question_text: z.string(),
      points: z.number(),
      points_earned: z.number().nullable(),
      scoring: QuestionScoring,
      thrown_out: ThrownOutCredit.nullable(),
      options: z.array(QuestionOption).nullable(),
      response: z.union([z.string(), z.array(z.string()), z.number(), z.boolean()]).nullable(),
      graded_version: z.int(),
      answer: AnswerKey,
      explanation: z.string().nullable(),
    }),
  ),
});

export type StoredAttempt = z.output<typeof StoredAttempt>;

/** As stored or as it will be stored. Pure. */
function gradeShown(
  attempt: StoredAttempt,
): Pick<CalculatedGrade, "score" | "max_score" | "passed"> | undefined {
  const isGraded = attempt.score_obtained !== null && !attempt.awaits_grading;
  return attempt.is_over && !isGraded && attempt.questions.length > 0
    ? calculateAttemptGrade(attempt)
    : undefined;
}

const instant = (stored: string | null): string | null => stored && toInstant(stored);

/** Without questions. An expired attempt is shown as closed, even if its row is open. */
export function toQuizAttempt(attempt: StoredAttempt): QuizAttempt {
  const { id, user_id, code, course_offering_id, content_item_id, attempt_number, is_exam } = attempt;
  const hasTimedOut = attempt.timed_out || (attempt.is_over && attempt.submitted_at === null);
  const grade = gradeShown(attempt);
  return {
    ...{ id, user_id, code, course_offering_id, content_item_id, attempt_number, is_exam },
    started_at: toInstant(attempt.started_at),
    due_at: instant(attempt.due_at),
    saved_at: instant(attempt.saved_at),
    submitted_at: instant(attempt.submitted_at ?? (hasTimedOut ? attempt.due_at : null)),
    timed_out: hasTimedOut,
    score_obtained: grade?.score ?? attempt.score_obtained,
    max_score: grade?.max_score ?? attempt.max_score,
    passed: grade?.passed ?? attempt.passed,
  };
}

/** With correct answers once over, for readers of keys or if the quiz's policy shows them. */
export function toQuizAttemptDetail(attempt: StoredAttempt, readsKeys: boolean): QuizAttemptDetail {
  const answers_shown = attempt.is_over && (readsKeys || attempt.answers_shown);
  const earned = new Map(
    calculateAttemptGrade(attempt).questions.map((one) => [one.question_id, one.points]),
  );
  return {
    ...toQuizAttempt(attempt),
    answers_shown,
    questions: attempt.questions.map((question) => {
      const { question_id, position, kind, question_text, options, points, response } = question;
      const { answer, explanation, scoring, thrown_out } = question;
      const result = {
        points_earned: earned.get(question_id) ?? 0,
        is_right: isResponseCorrect(kind, answer, response, attempt.language),
        answer,
        explanation,
      };
      return {
        ...{ question_id, position, kind, question_text, options, points, scoring, thrown_out, response },
        result: answers_shown ? result : null,
      };
    }),
  };
}
