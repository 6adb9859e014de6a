import { expect, it } from "vitest";
import { createAdaptiveStepSize } from "../../../../lib/platform/db/query/step-size.ts";

const [quick, slow] = [500, 501];

const sizesAfter = (first: number, times: number[]): number[] => {
  const size = createAdaptiveStepSize(first);
  return times.map((milliseconds) => {
    size.took(milliseconds);
    return size.rows();
  });
};

it("begins with the first size, and stays at most there", () => {
  expect(createAdaptiveStepSize(1600).rows()).toBe(1600);
  expect(sizesAfter(1600, [0, quick, 1])).toEqual([1600, 1600, 1600]);
});

it("halves after each step that took too long or was given up, down to one row", () => {
  expect(sizesAfter(1600, [slow, Number.POSITIVE_INFINITY, slow])).toEqual([800, 400, 200]);
  expect(sizesAfter(5, [slow, slow, slow, slow])).toEqual([2, 1, 1, 1]);
});

it("grows back slowly, up to the first size", () => {
  expect(sizesAfter(1600, [slow, quick, quick, quick])).toEqual([800, 900, 1000, 1100]);
  expect(sizesAfter(1600, [slow, ...Array(8).fill(quick)]).at(-1)).toBe(1600);
  expect(sizesAfter(1600, [slow, ...Array(20).fill(quick)]).at(-1)).toBe(1600);
  expect(sizesAfter(3, [slow, slow, quick, quick])).toEqual([1, 1, 2, 3]);
});
