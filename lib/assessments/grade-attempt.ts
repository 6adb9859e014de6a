import type { QuestionKind } from "../../schema/enums.ts";
import { type AnswerKey, isRight, type Response } from "./grade-answer.ts";

/** What grading looks at: what an attempt asks in its order, with keys and answers, and what it takes to pass. */
export type Gradable = {
  passing_percent: number | null;
  /** How many right answers in a row it takes too; null for none. */
  correct_in_row: number | null;
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
 * The grade of an attempt. It is passed with `passing_percent` of the points or more and, where that is asked for, as
 * many right answers in a row, or all of them where there are fewer questions. Pure: the same answers and keys always
 * have the same grade, whoever grades them.
 */
export function gradeOf({ passing_percent, correct_in_row, questions }: Gradable): Grade {
  const graded = questions.map((question) => ({
    ...question,
    earned: isRight(question.kind, question.answer, question.response) ? question.points : 0,
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

/** A sum of points, which have two decimals: counted in hundredths, it is exact. */
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
