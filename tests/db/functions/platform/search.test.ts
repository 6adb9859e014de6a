import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { likePatternForWordsSql } from "../../../../lib/platform/db/query/search-and-sort.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { value } = openSession();

const call = (name: string, text: string) => value(`select ${name}('${text.replaceAll("'", "''")}')`);

it.each([
  ["Søren MÜLLER", "soren muller"],
  ["Zoë", "zoe"],
  ["Straße", "strase"],
  ["Ångström", "angstrom"],
  ["한글", "한글"],
  ["", ""],
])("folded takes letter case and accents off: %s", async (text, wanted) => {
  expect(await call("folded", text)).toBe(wanted);
});

it.each([
  ["EE-101: Signals", " ee 101 signals"],
  ["ann.lee@example.edu", " ann lee example edu"],
  ["  O'Brien,  (Pat) ", " o brien pat "],
  ["100%_\\", " 100 "],
])("searched is the words with one space between them: %s", async (text, wanted) => {
  expect(await call("searched", text)).toBe(wanted);
});

it.each([
  ["Signals", "EE-101 Signals", true],
  ["nals", "EE-101 Signals", true],
  ["ee-101", "EE 101 Signals", true],
  ["si", "EE-101 Signals", true],
  ["ig", "EE-101 Signals", false],
  ["100%", "EE-101 Signals", false],
  ["%", "EE-101 Signals", true],
  ["_ignals", "EE-101 Signals", true],
])(
  "patternOf finds words anywhere, and one or two characters at the start of a word: %s in %s",
  async (words, text, found) => {
    expect(
      await value(`select searched('${text}') like ${textOf(likePatternForWordsSql(sql`${words}::text`))}`),
    ).toBe(found);
  },
);
