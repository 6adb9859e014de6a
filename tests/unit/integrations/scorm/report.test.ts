import { describe, expect, it } from "vitest";
import {
  readScoReport,
  type ScoThresholds,
  secondsOfDuration,
  secondsOfTimespan,
} from "../../../../lib/integrations/scorm/report.ts";

const none: ScoThresholds = { passing_score: null, completion_threshold: null };
const facts = (version: "1.2" | "2004", cmi: Record<string, unknown>, thresholds = none) => {
  const { completed, passed, scaled } = readScoReport(version, cmi, thresholds);
  return [completed, passed, scaled];
};

describe("SCORM 1.2", () => {
  it.each([
    ["passed", true, true],
    ["completed", true, null],
    ["failed", false, false],
    ["incomplete", false, null],
    ["browsed", false, null],
    ["not attempted", false, null],
    ["", false, null],
  ])("the lesson status %j is complete: %j, passed: %j", (lesson_status, completed, passed) => {
    expect(facts("1.2", { core: { lesson_status } })).toEqual([completed, passed, null]);
  });

  it.each([
    [{ raw: "80" }, 0.8],
    [{ raw: "40", min: "20", max: "60" }, 0.5],
    [{ raw: 8, max: 10 }, 0.8],
    [{ raw: "120" }, 1],
    [{ raw: "-5" }, 0],
    [{ raw: "10", min: "10", max: "10" }, null],
    [{ raw: "" }, null],
    [{ raw: "many" }, null],
    [{}, null],
  ])("the score %j is %j", (score, scaled) => {
    expect(facts("1.2", { core: { lesson_status: "completed", score } })[2]).toBe(scaled);
  });

  it.each([
    ["completed", "80", [true, true, 0.8]],
    ["completed", "79", [true, false, 0.79]],
    ["failed", "90", [true, true, 0.9]],
    ["passed", "10", [true, false, 0.1]],
    ["incomplete", "90", [false, true, 0.9]],
  ])("with a mastery score of 80, the status %s and the score %s", (lesson_status, raw, expected) => {
    const thresholds = { passing_score: 0.8, completion_threshold: null };
    expect(facts("1.2", { core: { lesson_status, score: { raw } } }, thresholds)).toEqual(expected);
  });

  it("a mastery score without a score leaves the reported status", () => {
    const thresholds = { passing_score: 0.8, completion_threshold: null };
    expect(facts("1.2", { core: { lesson_status: "passed" } }, thresholds)).toEqual([true, true, null]);
  });

  it.each([
    ["0000:05:30", 330],
    ["02:00:00.50", 7200.5],
    ["9999:59:59.99", 35_999_999.99],
    ["5:30", null],
    ["PT5M", null],
    ["", null],
  ])("the session time %j has %j seconds", (text, seconds) => {
    expect(secondsOfTimespan(text)).toBe(seconds);
  });

  it("data of another shape counts as nothing", () => {
    for (const core of [null, "passed", [], 5, { lesson_status: { passed: true }, score: [80] }])
      expect(facts("1.2", { core })).toEqual([false, null, null]);
  });
});

describe("SCORM 2004", () => {
  it.each([
    ["completed", "passed", [true, true]],
    ["completed", "unknown", [true, null]],
    ["completed", "failed", [true, false]],
    ["incomplete", "passed", [false, true]],
    ["not attempted", "unknown", [false, null]],
    ["unknown", "unknown", [false, null]],
  ])("completion %s and success %s", (completion_status, success_status, expected) => {
    expect(facts("2004", { completion_status, success_status }).slice(0, 2)).toEqual(expected);
  });

  it.each([
    [{ scaled: "0.85" }, 0.85],
    [{ scaled: "-0.5" }, 0],
    [{ scaled: "", raw: "15", min: "0", max: "20" }, 0.75],
    [{ raw: "15" }, null],
    [{}, null],
  ])("the score %j is %j", (score, scaled) => {
    expect(facts("2004", { score })[2]).toBe(scaled);
  });

  it.each([
    ["0.8", "failed", true],
    ["0.79", "passed", false],
    ["", "passed", true],
  ])("with a passing score of 0.8, the score %j and success %s", (scaled, success_status, passed) => {
    const thresholds = { passing_score: 0.8, completion_threshold: null };
    expect(facts("2004", { success_status, score: { scaled } }, thresholds)[1]).toBe(passed);
  });

  it.each([
    ["0.5", "incomplete", true],
    ["0.49", "completed", false],
    ["", "completed", true],
  ])("with a threshold of 0.5, the measure %j and completion %s", (progress_measure, status, completed) => {
    const thresholds = { passing_score: null, completion_threshold: 0.5 };
    expect(facts("2004", { completion_status: status, progress_measure }, thresholds)[0]).toBe(completed);
  });

  it.each([
    ["PT1H5M3.2S", 3903.2],
    ["PT90S", 90],
    ["P1DT1M", 86_460],
    ["P1Y2M3D", (365 + 60 + 3) * 86_400],
    ["P", null],
    ["PT", null],
    ["0000:05:30", null],
    ["", null],
  ])("the session time %j has %j seconds", (text, seconds) => {
    expect(secondsOfDuration(text)).toBe(seconds);
  });

  it("knows whether the SCO suspends", () => {
    expect(readScoReport("2004", { exit: "suspend" }, none).suspends).toBe(true);
    expect(readScoReport("2004", { exit: "normal" }, none).suspends).toBe(false);
    expect(readScoReport("1.2", { core: { exit: "suspend" } }, none).suspends).toBe(true);
  });
});
