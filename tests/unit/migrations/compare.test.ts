import { describe, expect, it } from "vitest";
import { compare, describeDifference } from "../../../scripts/build/migrations/compare.ts";
import { retirementOf } from "../../../scripts/build/migrations/retirement.ts";

describe("compare", () => {
  it("answers what is missing, left over and different, in the order of the names", () => {
    const wanted = new Map([
      ["index a", "1"],
      ["table b", ""],
      ["view c", "new"],
    ]);
    const found = new Map([
      ["function d", "4"],
      ["table b", ""],
      ["view c", "old"],
    ]);
    expect(compare(wanted, found)).toEqual([
      { object: "function d", found: "4" },
      { object: "index a", wanted: "1" },
      { object: "view c", wanted: "new", found: "old" },
    ]);
  });

  it("describes each for a person", () => {
    expect(describeDifference({ object: "index a", wanted: "1" })).toBe(
      "index a is missing from the migrations",
    );
    expect(describeDifference({ object: "index a", found: "1" })).toMatch(/stands nowhere in schema/);
    expect(describeDifference({ object: "index a", wanted: "1", found: "2" })).toMatch(/make\n2\nwhere.*\n1/);
  });
});

describe("a function that stands nowhere any more", () => {
  const left = { object: "function f(integer)", found: "CREATE FUNCTION f(integer) RETURNS integer" };
  const listed = (retiredIn: string) => [{ signature: "f(integer)", retiredIn }];

  it("is dropped at once where one with wider integers serves whoever calls it", () => {
    expect(retirementOf(left, [], "1.0.0", ["function f(bigint)"])).toBe("drop");
    expect(retirementOf(left, [], "1.0.0", ["function f(bigint,integer)", "function g(bigint)"])).toBe(
      "unlisted",
    );
  });

  it("is kept while the version is the one it was retired in, and dropped with the next", () => {
    expect(retirementOf(left, listed("1.0.0"), "1.0.0")).toBe("keep");
    expect(retirementOf(left, listed("1.0.0"), "1.1.0")).toBe("drop");
  });

  it("is dropped at once when no release has called it", () => {
    expect(retirementOf(left, listed("never released"), "1.0.0")).toBe("drop");
  });

  it("has to be listed, unless it is a trigger's", () => {
    expect(retirementOf(left, [], "1.0.0")).toBe("unlisted");
    const trigger = { object: "function t()", found: "CREATE FUNCTION t() RETURNS trigger" };
    expect(retirementOf(trigger, [], "1.0.0")).toBe("drop");
  });
});
