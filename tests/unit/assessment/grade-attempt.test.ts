import fc from "fast-check";
import { expect, it } from "vitest";
import { pointsForResponse } from "../../../lib/assessment/grade-answer.ts";
import { calculateAttemptGrade } from "../../../lib/assessment/grade-attempt.ts";
import type { ThrownOutCredit } from "../../../schema/enums.ts";

const rules = { passing_percent: 60, correct_in_row: null, language: "en" };

const question = (points: number, response: boolean, question_id = 1) => ({
  ...{ question_id, graded_version: 1, kind: "TRUE_FALSE" as const, points },
  ...{ scoring: "all_or_nothing" as const, thrown_out: null as ThrownOutCredit | null },
  ...{ answer: { value: true }, response },
});

it("points are summed exactly, for all hundredths", () => {
  const hundredths = fc.array(fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.boolean()), { maxLength: 100 });
  fc.assert(
    fc.property(hundredths, (asked) => {
      const questions = asked.map(([points, right], at) => question(points / 100, right, at));
      const { score, max_score } = calculateAttemptGrade({ ...rules, questions });
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
    calculateAttemptGrade({
      ...rules,
      passing_percent,
      questions: Array.from({ length: 5 }, (_, at) => question(1, at < right)),
    }).passed;
  expect([passed(3, 60), passed(2, 60), passed(0, 0)]).toEqual([true, false, true]);
});

it("right answers in a row are counted in the order of the attempt, and are never more than its questions", () => {
  const passed = (pattern: string, correct_in_row: number) =>
    calculateAttemptGrade({
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

it("partial credit is the share of correct selections minus wrong ones, at least zero", () => {
  const earned = (chosen: string, points = 3, key = "abc") =>
    pointsForResponse({
      ...{ kind: "MULTIPLE_CHOICE", points, scoring: "partial" },
      ...{ answer: { option_ids: [...key] }, response: [...chosen] },
    });
  expect(["abc", "ab", "a", "", "abx", "ax", "xy", "abcx", "aab"].map((chosen) => earned(chosen))).toEqual([
    3, 2, 1, 0, 1, 0, 0, 2, 2,
  ]);
  expect([earned("a", 1), earned("ab", 1), earned("abc", 1), earned("a", 0.05, "ab")]).toEqual([
    0.33, 0.67, 1, 0.03,
  ]);
});

it("partial credit is between zero and the points, full exactly for the key, and never less for a correct selection", () => {
  const options = [..."abcdefgh"];
  const some = fc.uniqueArray(fc.constantFrom(...options), { minLength: 1 });
  fc.assert(
    fc.property(some, some, fc.integer({ min: 1, max: 9999 }), (key, chosen, hundredths) => {
      const points = hundredths / 100;
      const asked = {
        kind: "MULTIPLE_CHOICE",
        points,
        scoring: "partial",
        answer: { option_ids: key },
      } as const;
      const earned = pointsForResponse({ ...asked, response: chosen });
      expect(earned).toBeGreaterThanOrEqual(0);
      expect(earned).toBeLessThanOrEqual(points);
      expect(pointsForResponse({ ...asked, response: key })).toBe(points);
      for (const id of key)
        expect(pointsForResponse({ ...asked, response: [...chosen, id] })).toBeGreaterThanOrEqual(earned);
    }),
  );
});

it("a question that is thrown out gives its points to all, or leaves the total and the row of right answers", () => {
  const grade = (...credits: (ThrownOutCredit | null)[]) => {
    const questions = credits.map((thrown_out, at) => ({ ...question(2, at === 0, at), thrown_out }));
    const { score, max_score, passed } = calculateAttemptGrade({ ...rules, correct_in_row: 2, questions });
    return [score, max_score, passed];
  };
  expect(grade(null, null)).toEqual([2, 4, false]);
  expect(grade(null, "full_points")).toEqual([4, 4, true]);
  expect(grade(null, "no_points")).toEqual([2, 2, true]);
  expect(grade("no_points", null)).toEqual([0, 2, false]);
  // Nothing else is left.
  expect(grade("no_points", "no_points")).toEqual([4, 4, true]);
});
