import { expect, it } from "vitest";
import { toldDocument } from "../../../scripts/build/told/document.ts";
import { seededPrompt, writeToldToTutor } from "../../../scripts/build/told/write.ts";

const rowOf = (document: string, turn: string): boolean[] =>
  (document.split("\n").find((line) => line.startsWith(`| ${turn}`)) ?? "")
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.includes("✓"));

it("docs/tutor-told.md is the same each time, and has no placeholder left", () => {
  expect(writeToldToTutor()).toBe(writeToldToTutor());
  expect(writeToldToTutor()).not.toMatch(/\{\{|undefined/);
});

it("ticks what a request has, by kind of turn, and what is private for words of one's own alone", () => {
  const document = toldDocument(seededPrompt());
  const all = [true, true, true, true, true];
  expect(rowOf(document, "The greeting")).toEqual([true, true, true, false, false, false, false]);
  for (const turn of ["A choice that the class shares", "A move", "A choice in a private conversation"])
    expect(rowOf(document, turn), turn).toEqual([...all, false, false]);
  expect(rowOf(document, "A free-form message")).toEqual([...all, true, true]);
  // A prompt that requests less receives less.
  expect(rowOf(toldDocument("Teach {{title}}."), "The greeting").slice(0, 2)).toEqual([false, false]);
});
