import { expect, it } from "vitest";
import { mergeDigitsIntoFormulas, subscript, superscript } from "../../../../lib/platform/text/scripts.ts";

it("superscripts and subscripts are Unicode if all characters have one, otherwise formulas", () => {
  expect(superscript("8")).toBe("⁸");
  expect(superscript("-1")).toBe("⁻¹");
  expect(superscript("th")).toBe("ᵗʰ");
  expect(superscript(" 2 ")).toBe(" ² ");
  expect(superscript("")).toBe("");
  expect(superscript("Q")).toBe("$^{\\text{Q}}$");
  expect(superscript("50%")).toBe("$^{\\text{50\\%}}$");
  expect(superscript("a$^{\\text{Q}}$")).toBe("$^{\\text{a}^{\\text{Q}}}$");
  expect(subscript("2")).toBe("₂");
  expect(subscript("max")).toBe("ₘₐₓ");
  expect(subscript("b_1")).toBe("$_{\\text{b\\_1}}$");
});

it("a digit behind a formula becomes a part of it", () => {
  expect(mergeDigitsIntoFormulas("x$^{\\text{Q}}$2 and $5")).toBe("x$^{\\text{Q}}{2}$ and $5");
});
