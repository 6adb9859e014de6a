import { expect, it } from "vitest";
import { materialOf } from "../../../lib/chat/material.ts";

const blocks = (count: number) => ({
  blocks: Array.from({ length: count }, (_, index) => ({ type: "paragraph", text: `Paragraph ${index}.` })),
});

it("of an item without any is empty", () => {
  expect(materialOf(undefined, 100)).toBe("");
});

it("shows all of what is within the limit", () => {
  const text = JSON.stringify(blocks(3), null, 2);
  expect(materialOf(blocks(3), text.length)).toBe(text);
});

it("ends with a whole block, and a note of what is left out", () => {
  const whole = JSON.stringify(blocks(50), null, 2);
  for (let most = 200; most < 400; most += 1) {
    const [, kept, left] =
      /^([\s\S]*)\n\[The material goes on: (\d+) more characters are not shown here\.\]$/.exec(
        materialOf(blocks(50), most),
      ) ?? [];
    expect(kept?.length).toBeLessThanOrEqual(most);
    expect(kept).toMatch(/\n {4}\},$/);
    expect(whole.startsWith(kept ?? "-")).toBe(true);
    expect(kept?.length).toBe(whole.length - Number(left));
  }
});

it("cuts within a block that is too long by itself, never within a character", () => {
  for (const most of [100, 101]) {
    const shown = materialOf({ text: "🎓".repeat(200) }, most);
    expect(shown.length).toBeLessThan(200);
    expect(shown).toMatch(/"(🎓)+\n\[/u);
  }
  expect(materialOf({ title: "Carry", text: "x".repeat(500) }, 100)).toContain('"Carry"');
});
