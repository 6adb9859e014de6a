import { describe, expect, it } from "vitest";
import { compare, describeDifference } from "../../../scripts/build/migrations/compare.ts";

describe("compare", () => {
  it("returns missing, extra and different objects, in the order of the names", () => {
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
    expect(describeDifference({ object: "index a", found: "1" })).toMatch(
      /created by the migrations, but is not in schema/,
    );
    expect(describeDifference({ object: "index a", wanted: "1", found: "2" })).toMatch(/create\n2\nbut.*\n1/);
  });
});
