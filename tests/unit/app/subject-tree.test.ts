import { expect, it } from "vitest";
import { subjectOptions, subjectTree } from "../../../app/src/catalog/subject-tree.ts";

const subject = (id: number, name: string, parent_subject_id: number | null = null) => ({
  id,
  name,
  parent_subject_id,
});

it("subjects are nested by name, and each is chosen with the names above it", () => {
  const tree = subjectTree(
    [subject(3, "Waves", 2), subject(1, "Zoology"), subject(2, "Physics"), subject(4, "Ärodynamik", 2)],
    "de",
  );
  expect(subjectOptions(tree)).toEqual([
    [2, "Physics"],
    [4, "Physics › Ärodynamik"],
    [3, "Physics › Waves"],
    [1, "Zoology"],
  ]);
});

it("a subject without its parent is at the top", () => {
  expect(subjectOptions(subjectTree([subject(5, "Alone", 9)]))).toEqual([[5, "Alone"]]);
  expect(subjectTree([])).toEqual([]);
});
