import { describe, expect, it } from "vitest";
import {
  type ScoOutcome,
  scormResult,
  scormRulesWithDefaults,
  untouchedSco,
} from "../../../../lib/integrations/scorm/result.ts";

const sco = (
  completed: boolean,
  passed: boolean | null = null,
  scaled: number | null = null,
): ScoOutcome => ({
  ...{ completed, passed, scaled },
});
const rules = (given: Parameters<typeof scormRulesWithDefaults>[0] = {}) => scormRulesWithDefaults(given);

describe("completion", () => {
  it.each([
    ["completed", [sco(true)], true],
    ["completed", [sco(false, true)], true],
    ["completed", [sco(true), untouchedSco], false],
    ["completed", [sco(true), sco(true, false, 0.2)], true],
    ["passed", [sco(true)], false],
    ["passed", [sco(true, true)], true],
    ["passed", [sco(true, false)], false],
    ["passed", [sco(true), sco(true, true)], true],
    ["passed", [sco(true, true), sco(true, false)], false],
    ["passed", [sco(false), sco(true, true)], false],
    ["score", [sco(true)], false],
    ["score", [sco(false, null, 0.7)], true],
    ["score", [sco(true, true, 0.69)], false],
    ["score", [sco(true, null, 0.6), sco(true, null, 0.8)], true],
  ] as const)("by %s, %j is complete: %j", (completion, scos, expected) => {
    expect(scormResult(rules({ completion, passing_percent: 70 }), scos).is_complete).toBe(expected);
  });

  it("no SCO completes nothing", () => {
    for (const completion of ["completed", "passed", "score"] as const)
      expect(scormResult(rules({ completion, passing_percent: 0 }), []).is_complete).toBe(false);
  });
});

describe("the grade", () => {
  it.each([
    [[sco(true)], null],
    [[sco(false, null, 0.5)], 0.5],
    [[sco(true, null, 1), sco(true)], 1],
    [[sco(true, null, 1 / 3), sco(true, null, 1 / 3), sco(true, null, 1 / 3)], 0.333333],
  ])("is the mean of the scores: %j is %j", (scos, score) => {
    expect(scormResult(rules(), scos).score).toBe(score);
  });

  it("is 1 on completion if the item says so, and nothing before", () => {
    expect(scormResult(rules({ grade: "completion" }), [sco(true, null, 0.2)]).score).toBe(1);
    expect(scormResult(rules({ grade: "completion" }), [sco(false, null, 0.2)]).score).toBeNull();
  });
});

it.each([
  [[sco(true), sco(true)], null],
  [[sco(true, true), sco(true)], true],
  [[sco(true, true), sco(true, false)], false],
])("of %j the package passed: %j", (scos, passed) => {
  expect(scormResult(rules(), scos).passed).toBe(passed);
});
