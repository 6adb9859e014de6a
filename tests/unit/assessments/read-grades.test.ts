import { expect, it } from "vitest";
import { readGrades } from "../../../lib/assessments/read-grades.ts";

it("readGrades takes scores and excuses from the columns of items, wherever they stand", () => {
  expect(readGrades("7 Lab,user_id,name,12\n1.5,3,=x,EX\n,4,y,ex\n")).toEqual({
    entries: [
      { line: 2, user_id: 3, content_item_id: 7, score: 1.5, is_excused: false },
      { line: 2, user_id: 3, content_item_id: 12, score: null, is_excused: true },
      { line: 3, user_id: 4, content_item_id: 12, score: null, is_excused: true },
    ],
    faults: [],
  });
});

it("readGrades says which fields are no grades, and takes none of a line that names nobody, or somebody again", () => {
  const read = readGrades("user_id,7\n3,1.234\n4,-1\n5,1e3\n0,1\n2147483648,1\n3,5");
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

it("readGrades says in words why a file says nothing", () => {
  const items = Array.from({ length: 201 }, (_, at) => at + 1);
  const faulty = [
    "",
    "7,8",
    "user_id",
    "user_id,7,7 again",
    `user_id,${items}`,
    'user_id,"7',
    `user_id,7${"\n1,2".repeat(1001)}`,
  ];
  for (const csv of faulty) expect(readGrades(csv), csv.slice(0, 20)).toMatch(/^Input should /);
});
