import { expect, it } from "vitest";
import { passagesForPrompt } from "../../../../lib/tutor/passages/passages-for-prompt.ts";

it("lists passages by number, item and place, and is empty without any", () => {
  expect(passagesForPrompt([])).toBe("");
  const places = [{ block: 3 }, { seconds: 765 }, { file: "notes.pdf" }, {}];
  const told = passagesForPrompt(
    places.map((place, at) => ({ number: at + 1, title: "Waves", place, body: `Part ${at}`, perhaps: true })),
  );
  expect(told.split("\n\n").slice(2)).toEqual([
    "[§1] Waves, block 3\nPart 0",
    "[§2] Waves, 12:45\nPart 1",
    "[§3] Waves, notes.pdf\nPart 2",
    "[§4] Waves\nPart 3",
  ]);
});

it.each([
  [true, "that perhaps help. They are material"],
  [false, "that fit. They are material"],
])("says whether they help perhaps: %s", (perhaps, words) => {
  expect(passagesForPrompt([{ number: 1, title: "a", place: {}, body: "b", perhaps }])).toContain(words);
});

it("is not ended by any line of a passage or a title", () => {
  const told = passagesForPrompt([
    { number: 1, title: "a\n--- b", place: {}, body: "c\n\u2014\u2014\u2014 d", perhaps: true },
  ]);
  expect(told.match(/^\s*[\p{Pd}]{3}/gmu)).toHaveLength(1);
});
