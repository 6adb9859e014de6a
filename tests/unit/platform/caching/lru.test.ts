import { expect, it } from "vitest";
import { memoizeLru } from "../../../../lib/platform/caching/lru.ts";

it("makes each value once, and keeps recently used ones", () => {
  const made: string[] = [];
  const inCapitals = memoizeLru(2, (key: string) => {
    made.push(key);
    return key.toUpperCase();
  });
  expect(["a", "b", "a", "a"].map(inCapitals)).toEqual(["A", "B", "A", "A"]);
  expect(made).toEqual(["a", "b"]);
  inCapitals("c");
  inCapitals("a");
  expect(made, "b was used longest ago").toEqual(["a", "b", "c"]);
  inCapitals("b");
  expect(made).toEqual(["a", "b", "c", "b"]);
});

it("keeps an undefined value", () => {
  const made: string[] = [];
  const nothingOf = memoizeLru(1, (key: string) => {
    made.push(key);
    return undefined;
  });
  for (const key of ["a", "a", "a"]) nothingOf(key);
  expect(made).toEqual(["a"]);
});
