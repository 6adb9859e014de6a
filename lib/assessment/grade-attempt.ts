import type { ThrownOutCredit } from "../../schema/enums.ts";
import { type AnsweredQuestion, pointsForResponse } from "./grade-answer.ts";

/** Questions are in order. */
export type GradableAttempt = {
  passing_percent: number | null;
  /** Consecutive correct answers required to pass; null if none is. */
  correct_in_row: number | null;
  /** The course's language. */
  language: string;
  questions: readonly (AnsweredQuestion & {
    question_id: number;
    graded_version: number;
    thrown_out: ThrownOutCredit | null;
  })[];
};

export type CalculatedGrade = {
  score: number;
  max_score: number;
  passed: boolean;
  /** `points` is null if the question is no part of the total. */
  questions: {
    question_id: number;
    graded_version: number;
    thrown_out: ThrownOutCredit | null;
    points: number | null;
  }[];
};

/**
 * Passing takes `passing_percent` of the points and, if set, `correct_in_row` consecutive correct answers (at
 * most the number of questions). A question thrown out without points leaves the total; if no other is left,
 * it earns its points instead.
 */
export function calculateAttemptGrade({
  passing_percent,
  correct_in_row,
  language,
  questions,
}: GradableAttempt): CalculatedGrade {
  const isEmpty = questions.every(({ thrown_out }) => thrown_out === "no_points");
  const graded = questions.map((question) => {
    if (question.thrown_out === null) return { ...question, earned: pointsForResponse(question, language) };
    return { ...question, earned: question.thrown_out === "full_points" || isEmpty ? question.points : null };
  });
  const counted = graded.flatMap(({ earned, points }) => (earned === null ? [] : { earned, points }));
  const [score, max_score] = [
    sumOf(counted.map((one) => one.earned)),
    sumOf(counted.map((one) => one.points)),
  ];
  const longest = longestRun(counted.map((one) => one.earned === one.points));
  return {
    score,
    max_score,
    passed:
      score * 100 >= max_score * (passing_percent ?? 0) &&
      longest >= Math.min(correct_in_row ?? 0, counted.length),
    questions: graded.map(({ question_id, graded_version, thrown_out, earned }) => ({
      question_id,
      graded_version,
      thrown_out,
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
