import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteOnOneLine, singleLine } from "../../../../lib/platform/text/single-line.ts";
import { hostileText } from "../../../support/hostile-text.ts";

const lineBreak = /[\p{Cc}\u2028\u2029]/u;

describe("singleLine", () => {
  it("has no line break or control character, for any text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(singleLine(text)).not.toMatch(lineBreak);
        expect(singleLine(singleLine(text))).toBe(singleLine(text));
      }),
    );
  });

  it("keeps a plain text, with its formulas and scripts", () => {
    for (const text of ["Waves", "$\\alpha$ – β", "नमस्ते", "👩‍🔬 Labs", "e\u0301t\u00e9"])
      expect(singleLine(text)).toBe(text);
    expect(singleLine("  Two\r\n lines\u2028of\ttext ")).toBe("Two lines of text");
  });
});

describe("quoted", () => {
  it("has quotes at its ends alone, for any text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = quoteOnOneLine(text);
        expect(line === "" || /^"[^"\uff02]+"$/.test(line)).toBe(true);
        expect(line).not.toMatch(/^"\p{M}/u);
        expect(line).not.toMatch(lineBreak);
      }),
    );
  });

  it("is empty for a text that nobody sees", () => {
    for (const text of ["", " \n", "\u200b\u2060", "\u2800", "\u0301"]) expect(quoteOnOneLine(text)).toBe("");
    expect(quoteOnOneLine('The "first" wave')).toBe("\"The 'first' wave\"");
  });
});
