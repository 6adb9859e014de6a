import { expect, it } from "vitest";
import { excerptAroundFirstMatch } from "../../../../lib/community/study/excerpt.ts";
import { stepsOf } from "../../../support/counted-steps.ts";

const marked = (text: string, words: string): string => {
  const { excerpt, marks } = excerptAroundFirstMatch(text, words);
  return [...marks]
    .reverse()
    .reduce(
      (said, { start, end }) => `${said.slice(0, start)}[${said.slice(start, end)}]${said.slice(end)}`,
      excerpt,
    );
};

it.each([
  ["Waves interfere.", "interfere", "Waves [interfere]."],
  ["Ärger über Straßen", "arger STRASE", "[Ärger] über [Straße]n"],
  ["L’été à Łódź", "ete lodz", "L’[été] à [Łódź]"],
  ["in an inn", "in", "[in] an [in]n"],
  ["An e-mail, e mail", "e-mail", "An [e-mail], [e mail]"],
  ["overlapping lapping", "overlap lapping", "[overlapping] [lapping]"],
  ["two\n\nlines", "lines", "two [lines]"],
  ["a 😀 smile é", "smile e", "a 😀 [smile] [é]"],
  ["nothing here", "absent", "nothing here"],
  ["!!", "?", "!!"],
])("of %j the words %j are marked", (text, words, wanted) => {
  expect(marked(text, words)).toBe(wanted);
});

it("shows the text around the first match, cut between words", () => {
  const text = `${"before it ".repeat(100)}needle${" behind it".repeat(100)}`;
  const { excerpt, marks } = excerptAroundFirstMatch(text, "needle");
  expect(excerpt).toMatch(/^… (before it|it before).* needle behind it.* …$/);
  expect(excerpt.length).toBeLessThan(300);
  expect(excerpt.slice(marks[0]?.start, marks[0]?.end)).toBe("needle");
});

it("takes steps in proportion to the text", async () => {
  const steps = (length: number) =>
    stepsOf(
      "lib/community/study/excerpt.ts",
      ({ excerptAroundFirstMatch }, text: string) => excerptAroundFirstMatch(text, "é e ee eee"),
      "é ".repeat(length),
    );
  const [short, long] = await Promise.all([steps(5000), steps(50_000)]);
  expect(short).toBeGreaterThan(5000);
  expect(long).toBeLessThan(11 * short);
});
