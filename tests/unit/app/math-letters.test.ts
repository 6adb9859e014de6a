import { describe, expect, it } from "vitest";
import { toMathVariantLetters } from "../../../app/src/markup/math-letters.ts";

describe("letters of a formula", () => {
  it.each([
    ["R", "double-struck", "ℝ"],
    ["ABCHNPQRZ", "double-struck", "𝔸𝔹ℂℍℕℙℚℝℤ"],
    ["1k", "double-struck", "𝟙𝕜"],
    ["v", "bold", "𝐯"],
    ["12", "bold", "𝟏𝟐"],
    ["ΓΩ∇αω", "bold", "𝚪𝛀𝛁𝛂𝛚"],
    ["α∂ϕ", "bold-italic", "𝜶𝝏𝝓"],
    ["ABeglo", "script", "𝒜ℬℯℊ𝓁ℴ"],
    ["gCZ", "fraktur", "𝔤ℭℨ"],
    ["gh", "italic", "𝑔ℎ"],
    ["A1", "sans-serif", "𝖠𝟣"],
    ["x0", "monospace", "𝚡𝟶"],
    ["z", "sans-serif-bold-italic", "𝙯"],
  ])("%s in %s is %s", (text, variant, letters) => {
    expect(toMathVariantLetters(text, variant)).toBe(letters);
  });

  it.each([
    ["x", "normal"],
    ["+", "bold"],
    ["α", "double-struck"],
    ["", "bold"],
    ["x", "constructor"],
  ])("%s in %s stay unchanged", (text, variant) => {
    expect(toMathVariantLetters(text, variant)).toBeUndefined();
  });
});
