import { expect, it } from "vitest";
import { matchMessageTemplate } from "../../../app/src/match-template.ts";

it.each([
  ["Offering is full", "Offering is full", {}],
  [
    "{thing} is already taken",
    "Course code 'is already taken' is already taken",
    { thing: "Course code 'is already taken'" },
  ],
  [
    "'{title}' can give at most {most} points",
    "'Lab 1' can give at most 20 points",
    { title: "Lab 1", most: "20" },
  ],
  [
    "{field} should be one of: {choices}",
    "llm_model should be one of: a, b",
    { field: "llm_model", choices: "a, b" },
  ],
  ["Unmet prerequisites: {courses}", "Unmet prerequisites: ", { courses: "" }],
])("reads the values of placeholders from %s", (sentence, said, values) => {
  expect(matchMessageTemplate(sentence, said)).toEqual(values);
});

it.each([
  ["Offering is full", "Offering is full."],
  ["{thing} is already taken", "Course code 'X' does not exist"],
  ["A {one} and a {two}", "A b"],
  ["at most {n} at most", "at most"],
])("knows that %s is another sentence than %s", (sentence, said) => {
  expect(matchMessageTemplate(sentence, said)).toBeUndefined();
});
