import { describe, expect, it } from "vitest";
import { CitationFilter } from "../../../../lib/tutor/generations/citations.ts";

/** The output for a text in chunks of so many characters. */
function sent(text: string, offered: number[], length = text.length): string {
  const filter = new CitationFilter(new Set(offered));
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${length}}`, "g")) ?? [];
  return pieces.map((piece) => filter.take(piece)).join("") + filter.end();
}

const cases: [text: string, offered: number[], expected: string][] = [
  ["It adds up [§1], see [§7].", [1], "It adds up [§1], see."],
  ["It adds up [§1][§7].", [1], "It adds up [§1]."],
  ["It adds up [§1, §7].", [1], "It adds up [§1]."],
  ["It adds up [§7; §8].", [1], "It adds up."],
  ["It adds up [§1].", [], "It adds up."],
  ["[§9] First.", [1], " First."],
  ["Line.\n[§9]\nNext", [], "Line.\n\nNext"],
  ["[§12] and [§1]", [1], " and [§1]"],
  ["[§1] and [§12]", [12], " and [§12]"],
  ["[§0] [§]", [1], ""],
  ["f[x] = [1, 2], [a](b), [§ 23 of the law], [", [], "f[x] = [1, 2], [a](b), [§ 23 of the law], ["],
  [
    "A contract [§ 433] binds; see [§§ 434, 437] and [§1].",
    [],
    "A contract [§ 433] binds; see [§§ 434, 437] and.",
  ],
  ["A contract [§ 1], [§§ 1; 2], [§§1, 2] and [§1].", [1], "A contract [§ 1], [§§ 1; 2], [§§1, 2] and [§1]."],
  ["It ends [§1", [], "It ends [§1"],
];

describe("citations", () => {
  it.each(cases)("of %j with %j offered", (text, offered, expected) => {
    expect(sent(text, offered)).toBe(expected);
  });

  it.each(cases)("of %j are the same for all chunks, except for spaces", (text, offered, expected) => {
    const words = (said: string) => said.replaceAll(/\s/g, "");
    for (let length = 1; length < text.length; length += 1)
      expect(words(sent(text, offered, length)), String(length)).toBe(words(expected));
  });

  it("delays only text that may be a citation", () => {
    const filter = new CitationFilter(new Set());
    expect([
      filter.take("Words"),
      filter.take(" and [x"),
      filter.take("] more [§"),
      filter.take("3] end"),
    ]).toEqual(["Words", " and [x", "] more", " end"]);
  });
});
