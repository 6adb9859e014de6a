import type { countedAttempts, scormCompletionRules, scormGradeRules } from "../../../schema/enums.ts";
import type { ScoReport } from "./report.ts";

/** An item's settings (`ScormData`) with their defaults. */
export type ScormRules = {
  completion: (typeof scormCompletionRules)[number];
  passing_percent: number;
  grade: (typeof scormGradeRules)[number];
  counted_attempt: (typeof countedAttempts)[number];
  max_attempts: number | null;
};

export const scormRulesWithDefaults = (data: Partial<ScormRules>): ScormRules => ({
  completion: data.completion ?? "completed",
  passing_percent: data.passing_percent ?? 60,
  grade: data.grade ?? "score",
  counted_attempt: data.counted_attempt ?? "highest",
  max_attempts: data.max_attempts ?? null,
});

/** A SCO's part of a result. */
export type ScoOutcome = Pick<ScoReport, "completed" | "passed" | "scaled">;

export const untouchedSco: ScoOutcome = { completed: false, passed: null, scaled: null };

export type ScormResult = { is_complete: boolean; passed: boolean | null; score: number | null };

/**
 * The result of an attempt. The package passes if a SCO passed and none failed. Its score is the mean of all
 * scores.
 */
export function scormResult(
  rules: Pick<ScormRules, "completion" | "passing_percent" | "grade">,
  scos: readonly ScoOutcome[],
): ScormResult {
  const scores = scos.flatMap(({ scaled }) => scaled ?? []);
  const mean = scores.length === 0 ? null : scores.reduce((sum, one) => sum + one, 0) / scores.length;
  const passed = scos.some((one) => one.passed === false)
    ? false
    : scos.some((one) => one.passed === true) || null;
  // SCOs that report a pass often report no completion.
  const isThrough = scos.length > 0 && scos.every((one) => one.completed || one.passed === true);
  const is_complete = {
    completed: isThrough,
    passed: isThrough && passed === true,
    // Scores such as 0.7 have no exact binary form.
    score: mean !== null && mean * 100 >= rules.passing_percent - 1e-9,
  }[rules.completion];
  const score = rules.grade === "score" ? mean : is_complete ? 1 : null;
  return { is_complete, passed, score: score === null ? null : Number(score.toFixed(6)) };
}
