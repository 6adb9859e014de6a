import { expect, it } from "vitest";
import { sumOrNullIfAllNull, svgLinePath } from "../../../app/src/reports/chart-values.ts";

it("draws a line through figures, with a gap for an uncounted one", () => {
  expect(svgLinePath([0, 2, null, 1, 4], 10, 20, 100)).toBe("M0 100L10 60M30 80L40 20");
  expect(svgLinePath([null, null], 10, 20, 100)).toBe("");
});

it("adds up counts, which may be missing", () => {
  expect(sumOrNullIfAllNull([1, null, 2])).toBe(3);
  expect(sumOrNullIfAllNull([0, 0])).toBe(0);
  expect(sumOrNullIfAllNull([null, null])).toBeNull();
});
