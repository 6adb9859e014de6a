import { expect, it } from "vitest";
import {
  isDateEmptyOrFormerProposal,
  proposeStartEndFromTerm,
} from "../../../app/src/authoring/start-end-from-term.ts";

it("a term proposes its first day's first minute, and its last day's last", () => {
  expect(proposeStartEndFromTerm({ starts_on: "2026-09-01", ends_on: "2026-12-18" })).toEqual({
    starts_at: "2026-09-01T00:00",
    ends_at: "2026-12-18T23:59",
  });
});

it.each([
  ["", undefined, true],
  ["2026-09-01T00:00", "2026-09-01T00:00", true],
  ["2026-09-07T08:00", "2026-09-01T00:00", false],
  ["2026-09-01T00:00", undefined, false],
])("a field with %s and the former proposal %s takes a term's date: %s", (value, former, takes) => {
  expect(isDateEmptyOrFormerProposal(value, former)).toBe(takes);
});
