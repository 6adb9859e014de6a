import { describe, expect, it } from "vitest";
import { parsePastedPeople } from "../../../app/src/authoring/pasted-people.ts";

const statesOf = (text: string, known: string[] = []) =>
  parsePastedPeople(text, new Set(known)).map(({ line, state, person }) => [line, state, person]);

describe("a pasted list of people", () => {
  it.each([",", ";", "\t", "\n", "\r\n"])("separates addresses by %j", (separator) => {
    const people = parsePastedPeople(["ada@example.edu", "grace@example.edu"].join(separator), new Set());
    expect(people.map(({ person }) => person)).toEqual([
      { email: "ada@example.edu" },
      { email: "grace@example.edu" },
    ]);
  });

  it("takes the address of a line before its number and its name", () => {
    const text =
      'email,full_name,external_id\r\n"ada@example.edu","Ada Lovelace",s-1815\nGrace Hopper <grace@example.edu>\n';
    expect(statesOf(text)).toEqual([
      [2, "ready", { email: "ada@example.edu" }],
      [3, "ready", { email: "grace@example.edu" }],
    ]);
  });

  it("takes a number without an address, and gives a reason for each line that it leaves out", () => {
    const text =
      "s-1815; Ada\nGrace Hopper\nada@example\nada@example.edu\nADA@example.edu\n\nold@example.edu";
    expect(statesOf(text, ["old@example.edu"])).toEqual([
      [1, "ready", { external_id: "s-1815" }],
      [2, "name", undefined],
      [3, "address", undefined],
      [4, "ready", { email: "ada@example.edu" }],
      [5, "twice", undefined],
      [7, "enrolled", undefined],
    ]);
  });
});
