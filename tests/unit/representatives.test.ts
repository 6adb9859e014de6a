import { describe, expect, it } from "vitest";
import { roles } from "../../schema/enums.ts";
import { nextToChanges, oneOfEach, peopleNextToChanges, withNewKeys } from "../support/representatives.ts";
import type { Holder } from "../support/university.ts";

const admittedFrom = (least: number) => (rank: number) => (rank >= least ? "admitted" : "forbidden");

describe("the callers at which the verdict changes", () => {
  it("are the highest rejected and the lowest admitted", () => {
    expect(nextToChanges([0, 1, 2, 3, 4], admittedFrom(2))).toEqual([1, 2]);
    expect(nextToChanges([0, 1, 2, 3, 4], admittedFrom(4))).toEqual([3, 4]);
  });

  it("are those at both sides of each change, if there are several", () => {
    const verdicts = ["unseen", "unseen", "forbidden", "forbidden", "admitted", "forbidden"];
    expect(nextToChanges([0, 1, 2, 3, 4, 5], (rank) => verdicts[rank] ?? "")).toEqual([1, 2, 3, 4, 5]);
  });

  it("are the least or the greatest, if it never changes", () => {
    expect(nextToChanges([0, 1, 2], admittedFrom(0))).toEqual([0]);
    expect(nextToChanges([0, 1, 2], admittedFrom(9))).toEqual([2]);
  });

  it("are looked for in each university and department", () => {
    const holder = (name: string, held?: Holder["held"]): Holder => ({ id: 1, name, held });
    const people = [1, 2].flatMap((university_id) =>
      roles.map((role) =>
        holder(`${role} of ${university_id}`, { role, university_id, department_id: null }),
      ),
    );
    const expected = ({ held }: Holder) =>
      held?.role === "platform_admin" || (held?.university_id === 1 && held.role !== "student")
        ? "admitted"
        : "forbidden";
    const chosen = peopleNextToChanges([holder("nobody"), ...people], expected).map(({ name }) => name);
    expect(chosen).toEqual(["student of 1", "ta of 1", "university_admin of 2", "platform_admin of 2"]);
  });

  it("are the widest rejected and the narrowest admitted, of one role", () => {
    const people = [null, 7].flatMap((department_id) =>
      roles.map(
        (role): Holder => ({
          ...{ id: 1, name: `${role} of ${department_id ?? "all"}` },
          held: { role, university_id: 1, department_id },
        }),
      ),
    );
    const expected = ({ held }: Holder) => (held?.role === "student" ? "forbidden" : "admitted");
    const chosen = peopleNextToChanges(people, expected).map(({ name }) => name);
    expect(chosen).toEqual(["student of all", "ta of 7"]);
  });
});

describe("one of each kind", () => {
  it("is another one at each turn", () => {
    const kindOf = (word: string) => word.slice(0, 1);
    const words = ["a1", "b1", "a2", "a3"];
    expect(oneOfEach(words, kindOf, 0)).toEqual(["a1", "b1"]);
    expect(oneOfEach(words, kindOf, 4)).toEqual(["a2", "b1"]);
  });
});

describe("items with new keys", () => {
  it("have each key at least once, and begin with another one at each turn", () => {
    const keysOf = (word: string) => [...word];
    expect(withNewKeys(["ax", "ay", "bx", "by"], keysOf, { turn: 0 })).toEqual(["ax", "ay", "bx"]);
    expect(withNewKeys(["ax", "ay", "bx", "by"], keysOf, { turn: 3 })).toEqual(["by", "ax"]);
  });

  it("are fewer if the keys occurred before", () => {
    const met = new Set<string>();
    expect(withNewKeys(["ax"], (word) => [...word], { turn: 0, met })).toEqual(["ax"]);
    expect(withNewKeys(["ax", "bx"], (word) => [...word], { turn: 0, met })).toEqual(["bx"]);
  });
});
