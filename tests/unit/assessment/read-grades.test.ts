import { expect, it } from "vitest";
import { parseGradesCsv } from "../../../lib/assessment/parse-grades-csv.ts";

it("parseGradesCsv reads scores and excuses from the columns of items, in any order", () => {
  expect(parseGradesCsv("7 Lab,user_id,name,12\n1.5,3,=x,EX\n,4,y,ex\n")).toEqual({
    entries: [
      { line: 2, user_id: 3, content_item_id: 7, score: 1.5, is_excused: false },
      { line: 2, user_id: 3, content_item_id: 12, score: null, is_excused: true },
      { line: 3, user_id: 4, content_item_id: 12, score: null, is_excused: true },
    ],
    faults: [],
    read_as: { separator: ",", decimal: ".", encoding: "utf-8" },
  });
});

it("parseGradesCsv knows semicolons, tabs and decimal commas, and takes no line with values behind its columns", () => {
  expect(parseGradesCsv("user_id,284 Essay\n350,7,5\n351,8,")).toMatchObject({
    entries: [{ line: 3, user_id: 351, score: 8 }],
    faults: [{ line: 2, user_id: 350, detail: expect.stringMatching(/^Too many values in this line/) }],
  });
  expect(parseGradesCsv("user_id;284 Essay\n350;7,5\n351;8.25")).toMatchObject({
    entries: [{ score: 7.5 }, { score: 8.25 }],
    read_as: { separator: ";", decimal: "," },
  });
  expect(parseGradesCsv("user_id\t284\n350\t1")).toMatchObject({
    entries: [{ score: 1 }],
    read_as: { separator: "\t", decimal: "." },
  });
  expect(parseGradesCsv('user_id,284\n350,"7,5"\n351,"1,234"')).toMatchObject({
    entries: [{ score: 7.5 }],
    faults: [{ line: 3 }],
  });
});

it("parseGradesCsv says of each cell the version that the file was exported with", () => {
  const read = parseGradesCsv("user_id,7,8,version\n1,1,2,7v3 9v1\n2,1,2,0\n3,1,2,\n4,1,2,7v");
  expect(typeof read === "object" && read.entries.map(({ versions }) => versions)).toEqual([
    ...[[3], [0], [0], [0], undefined, undefined],
  ]);
  expect(read).toMatchObject({
    faults: [{ line: 5, detail: "version should be empty or as it was exported" }],
  });
});

it("parseGradesCsv reports invalid fields, and skips lines without a person, or with a duplicate one", () => {
  const read = parseGradesCsv("user_id,7\n3,1.234\n4,-1\n5,1e3\n0,1\n2147483648,1\n3,5");
  expect(read).toMatchObject({ entries: [] });
  expect(typeof read === "object" && read.faults.map(({ line, user_id }) => [line, user_id])).toEqual([
    ...[2, 3, 4].map((line) => [line, line + 1]),
    ...[
      [5, null],
      [6, null],
      [7, 3],
    ],
  ]);
});

it("parseGradesCsv says in words why a file says nothing", () => {
  const items = Array.from({ length: 201 }, (_, at) => at + 1);
  const faulty = [
    "",
    "7,8",
    "user_id",
    "user_id,7,7 again",
    `user_id,${items}`,
    `user_id,7${"\n1,2".repeat(1001)}`,
    `user_id,7${",".repeat(300)}`,
    `user_id,7${`\n1${",".repeat(290)}`.repeat(900)}`,
  ];
  for (const csv of faulty) expect(parseGradesCsv(csv), csv.slice(0, 20)).toMatch(/^Input should /);
  expect(parseGradesCsv('user_id,7\n1,"2')).toMatch(/^Not readable as CSV: .* line 2$/);
});

it("parseGradesCsv finds columns in any letter case and language, after a sep= line, and with blanks", () => {
  const entry = { user_id: 3, content_item_id: 7, score: 1.5 };
  const files = [
    "USER_ID,7 Essay\n3,1.5",
    "sep=;\nPerson;7 Essay, long\n3;1,5",
    '"User ID" , "7 Essay"\n3 , "1.5"',
    "sep=\t\r\nPersona\t7\r\n3\t1.5",
    "Usuario;7 Ensayo\n3;1,5",
  ];
  for (const csv of files) expect(parseGradesCsv(csv), csv).toMatchObject({ entries: [entry] });
  expect(parseGradesCsv("sep=|\nuser_id|7\n3|1")).toMatch("line 1 states the separator |");
});

it("parseGradesCsv rejects a line whose person has a lost character", () => {
  expect(parseGradesCsv("external_id,7\nM\ufffdller,1\nZoe,2")).toMatchObject({
    entries: [{ external_id: "Zoe" }],
    faults: [{ line: 2, code: "row_person_character_lost" }],
  });
});
