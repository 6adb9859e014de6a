import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StorableTextFilter } from "../../../../lib/platform/llm/storable-text.ts";

/** The output per chunk, and the rest at the end. */
function said(chunks: readonly string[]): string[] {
  const storable = new StorableTextFilter();
  return [...chunks.map((chunk) => storable.take(chunk)), storable.rest()];
}

describe("a model's text", () => {
  it.each([
    ["as it is", ["Hel", "lo ç 😀"], ["Hel", "lo ç 😀", ""]],
    ["without NUL", ["a\u0000b", "\u0000"], ["ab", "", ""]],
    ["with a pair that was split joined in the second chunk", ["x\ud83d", "\ude00y"], ["x", "😀y", ""]],
    ["with a pair joined over an empty chunk", ["\ud83d", "", "\ude00"], ["", "", "😀", ""]],
    ["with a pair joined that a NUL split", ["\ud83d\u0000", "\ude00"], ["", "😀", ""]],
    ["with a lone high surrogate replaced", ["\ud83d", "x"], ["", "\ufffdx", ""]],
    ["with a lone low surrogate replaced", ["x\ude00"], ["x\ufffd", ""]],
    ["with a high surrogate at the very end replaced", ["x\ud83d"], ["x", "\ufffd"]],
    ["with the first of two high surrogates replaced", ["\ud83d\ud83d", "\ude00"], ["\ufffd", "😀", ""]],
  ])("is returned %s", (_, chunks, expected) => {
    expect(said(chunks)).toEqual(expected);
  });

  it("is storable in every chunk, and says the same however it was cut", () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const surrogates = fc.constantFrom("\ud83d", "\ude00", "\u0000", "a");
    const text = fc.array(fc.oneof(unit, surrogates)).map((units) => units.join(""));
    fc.assert(
      fc.property(fc.array(text), (chunks) => {
        const heard = said(chunks);
        for (const chunk of heard) expect(chunk.isWellFormed() && !chunk.includes("\u0000")).toBe(true);
        expect(heard.join("")).toBe(chunks.join("").replaceAll("\u0000", "").toWellFormed());
      }),
    );
  });
});
