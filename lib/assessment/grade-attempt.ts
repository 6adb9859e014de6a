import type { QuestionKind } from "../../schema/enums.ts";
import { type AnswerKey, isRight, type Response } from "./grade-answer.ts";

/** An attempt's questions in order, with keys and answers, and the pass criteria. */
export type Gradable = {
  passing_percent: number | null;
  /** Consecutive correct answers required to pass; null if none is. */
  correct_in_row: number | null;
  /** The course's language. */
  language: string;
  questions: readonly {
    question_id: number;
    graded_version: number;
    kind: Uppercase<QuestionKind>;
    points: number;
    answer: AnswerKey;
    response: Response;
  }[];
};

export type Grade = {
  score: number;
  max_score: number;
  passed: boolean;
  questions: { question_id: number; graded_version: number; points: number }[];
};

/**
 * Passing takes `passing_percent` of the points and, if set, `correct_in_row` consecutive correct answers (at
 * most the number of questions). Pure: equal answers and keys give equal grades.
 */
export function gradeOf({ passing_percent, correct_in_row, language, questions }: Gradable): Grade {
  const graded = questions.map((question) => ({
    ...question,
    earned: isRight(question.kind, question.answer, question.response, language) ? question.points : 0,
  }));
  const [score, max_score] = [sumOf(graded.map((one) => one.earned)), sumOf(graded.map((one) => one.points))];
  const longest = longestRun(graded.map((one) => one.earned > 0));
  return {
    score,
    max_score,
    passed:
      score * 100 >= max_score * (passing_percent ?? 0) &&
      longest >= Math.min(correct_in_row ?? 0, graded.length),
    questions: graded.map(({ question_id, graded_version, earned }) => ({
      question_id,
      graded_version,
      points: earned,
    })),
  };
}

/** Exact, in hundredths: points have two decimals. */
const sumOf = (points: readonly number[]): number =>
  points.reduce((sum, one) => sum + Math.round(one * 100), 0) / 100;

function longestRun(right: readonly boolean[]): number {
  let [longest, run] = [0, 0];
  for (const one of right) {
    run = one ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
