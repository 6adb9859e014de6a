import { describe, expect, it } from "vitest";
import { parsePastedPeople } from "../../../app/src/authoring/pasted-people.ts";
import { decodeTextGuessingEncoding } from "../../../app/src/components/decode-text.ts";
import { classListCsvSample } from "../../../app/src/samples/people.ts";

const statesOf = (text: string, known: string[] = []) =>
  parsePastedPeople(text, { offering: 7, names: new Set(known) }).map(({ line, state, person }) => [
    line,
    state,
    person,
  ]);

describe("a pasted list of people", () => {
  it.each([",", ";", "\t", "\n", "\r\n"])("separates addresses by %j", (separator) => {
    const people = statesOf(["ada@example.edu", "grace@example.edu"].join(separator));
    expect(people.map(([, , person]) => person)).toEqual([
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

  it("reads the university's enrollments.csv by its titles, and says which lines are for others", () => {
    const text = [
      "course_offering_id,sourced_id,email,as,status",
      '7,s-1815,"",student,active',
      "8,s-1816,,student,",
      "7,,grace@example.edu,teacher,",
      "7,s-1817,,,tobedeleted",
      "7,,,student,",
    ].join("\r\n");
    expect(statesOf(text)).toEqual([
      [2, "ready", { external_id: "s-1815" }],
      [3, "elsewhere", undefined],
      [4, "teacher", undefined],
      [5, "removed", undefined],
      [6, "name", undefined],
    ]);
  });

  it("keeps separators in quotes together", () => {
    const [person] = parsePastedPeople('"Lovelace, ""Ada""";s-1815', { offering: 7, names: new Set() });
    expect(person).toMatchObject({ words: 'Lovelace, "Ada", s-1815', state: "ready" });
  });

  it("reads the sample, and the file of the university's import", () => {
    const ofImport = "email,course_offering_id,as\r\nada@example.edu,7,student\r\n";
    expect(statesOf(classListCsvSample.content)).toEqual([
      [2, "ready", { email: "ada.lovelace@example.edu" }],
    ]);
    expect(statesOf(ofImport)).toEqual([[2, "ready", { email: "ada@example.edu" }]]);
  });
});

describe("the text of a file", () => {
  it.each([
    ["UTF-8", [0xc3, 0xa9]],
    ["Windows-1252", [0xe9]],
    ["UTF-16", [0xff, 0xfe, 0xe9, 0]],
    ["UTF-16, big-endian", [0xfe, 0xff, 0, 0xe9]],
  ])("is decoded from %s", (_, bytes) => {
    expect(decodeTextGuessingEncoding(new Uint8Array(bytes))).toBe("é");
  });
});
