import fc from "fast-check";
import { expect, it } from "vitest";
import { gradeOf } from "../../../lib/assessment/grade-attempt.ts";

const rules = { passing_percent: 60, correct_in_row: null, language: "en" };

const question = (points: number, response: boolean, question_id = 1) => ({
  ...{ question_id, graded_version: 1, kind: "TRUE_FALSE" as const, points },
  ...{ answer: { value: true }, response },
});

it("points are summed exactly, for all hundredths", () => {
  const hundredths = fc.array(fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.boolean()), { maxLength: 100 });
  fc.assert(
    fc.property(hundredths, (asked) => {
      const questions = asked.map(([points, right], at) => question(points / 100, right, at));
      const { score, max_score } = gradeOf({ ...rules, questions });
      const sumOf = (some: typeof asked) => some.reduce((sum, [points]) => sum + points, 0);
      expect([score, max_score]).toEqual([
        sumOf(asked.filter(([, right]) => right)) / 100,
        sumOf(asked) / 100,
      ]);
    }),
  );
});

it("passing takes its part of the points, to the last of them", () => {
  const passed = (right: number, passing_percent: number) =>
    gradeOf({
      ...rules,
      passing_percent,
      questions: Array.from({ length: 5 }, (_, at) => question(1, at < right)),
    }).passed;
  expect([passed(3, 60), passed(2, 60), passed(0, 0)]).toEqual([true, false, true]);
});

it("right answers in a row are counted in the order of the attempt, and are never more than its questions", () => {
  const passed = (pattern: string, correct_in_row: number) =>
    gradeOf({
      ...rules,
      passing_percent: 0,
      correct_in_row,
      questions: [...pattern].map((sign) => question(1, sign === "+")),
    }).passed;
  expect([passed("++-+", 2), passed("+-+-", 2), passed("++", 3), passed("+-", 3)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
