import type { ScormVersion } from "../../../schema/enums.ts";

type Json = Record<string, unknown>;

/** Thresholds of the manifest, from 0 to 1. */
export type ScoThresholds = { passing_score: number | null; completion_threshold: number | null };

/** What a SCO reported, in the terms of both versions of the standard. */
export type ScoReport = {
  completed: boolean;
  passed: boolean | null;
  /** The score from 0 to 1. */
  scaled: number | null;
  /** Of the session; null if the SCO reports none. */
  session_seconds: number | null;
  suspends: boolean;
};

/** Reads the runtime data of a SCO. Values that the standard does not allow count as absent. */
export const readScoReport = (version: ScormVersion, cmi: Json, thresholds: ScoThresholds): ScoReport =>
  version === "1.2" ? reportOf12(cmi, thresholds) : reportOf2004(cmi, thresholds);

/** SCORM 1.2, RTE 3.4.4: with a mastery score, the score decides instead of the status. */
function reportOf12(cmi: Json, { passing_score }: ScoThresholds): ScoReport {
  const core = objectIn(cmi, "core");
  const status = textIn(core, "lesson_status").toLowerCase();
  const score = objectIn(core, "score");
  const scaled = withinBounds(
    numberIn(score, "raw"),
    numberIn(score, "min") ?? 0,
    numberIn(score, "max") ?? 100,
  );
  const reported = status === "passed" ? true : status === "failed" ? false : null;
  const passed = passing_score !== null && scaled !== null ? scaled >= passing_score : reported;
  return {
    completed: status === "completed" || status === "passed" || (passed === true && status === "failed"),
    passed,
    scaled,
    session_seconds: secondsOfTimespan(textIn(core, "session_time")),
    suspends: textIn(core, "exit").toLowerCase() === "suspend",
  };
}

/** SCORM 2004, RTE 4.2.4 and 4.2.22: thresholds of the manifest take precedence over the reported states. */
function reportOf2004(cmi: Json, { passing_score, completion_threshold }: ScoThresholds): ScoReport {
  const score = objectIn(cmi, "score");
  const given = numberIn(score, "scaled");
  const [min, max] = [numberIn(score, "min"), numberIn(score, "max")];
  const scaled =
    given === null
      ? max === null
        ? null
        : withinBounds(numberIn(score, "raw"), min ?? 0, max)
      : Math.min(1, Math.max(0, given));
  const success = textIn(cmi, "success_status");
  const measure = numberIn(cmi, "progress_measure");
  const decisive = given ?? scaled;
  return {
    completed:
      completion_threshold !== null && measure !== null
        ? measure >= completion_threshold
        : textIn(cmi, "completion_status") === "completed",
    passed:
      passing_score !== null && decisive !== null
        ? decisive >= passing_score
        : success === "passed"
          ? true
          : success === "failed"
            ? false
            : null,
    scaled,
    session_seconds: secondsOfDuration(textIn(cmi, "session_time")),
    suspends: textIn(cmi, "exit") === "suspend",
  };
}

function withinBounds(raw: number | null, min: number, max: number): number | null {
  if (raw === null || max <= min) return null;
  return Math.min(1, Math.max(0, (raw - min) / (max - min)));
}

/** SCORM 1.2's CMITimespan, `0002:30:05.25`. */
export function secondsOfTimespan(text: string): number | null {
  const [, hours, minutes, seconds] = /^(\d{2,4}):(\d{2}):(\d{2}(?:\.\d{1,2})?)$/.exec(text) ?? [];
  return hours === undefined ? null : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

const day = 86_400;

/** An ISO 8601 duration as in SCORM 2004, `PT1H5M3.2S`. A year has 365 days, a month 30. */
export function secondsOfDuration(text: string): number | null {
  const parts =
    /^P(?=\d|T\d)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,5})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9}(?:\.\d{1,2})?)S)?)?$/.exec(
      text,
    );
  if (!parts) return null;
  const sizes = [365 * day, 30 * day, day, 3600, 60, 1];
  return sizes.reduce((sum, size, index) => sum + Number(parts[index + 1] ?? 0) * size, 0);
}

function objectIn(from: Json, key: string): Json {
  const value = from[key];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

const textIn = (from: Json, key: string): string => (typeof from[key] === "string" ? from[key].trim() : "");

/** SCOs send numbers as text. */
function numberIn(from: Json, key: string): number | null {
  const value = from[key];
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" && /^\s*-?\d{1,12}(\.\d{1,12})?\s*$/.test(value) ? Number(value) : null;
}
