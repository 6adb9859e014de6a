import { describe, expect, it } from "vitest";
import { mathmlToLatex } from "../../../../lib/platform/readers/mathml.ts";
import { readXml } from "../../../../lib/platform/readers/xml.ts";

const plain = { element: (name: string) => name, attribute: (name: string) => name };
const latexOf = (inside: string, prefix = "") =>
  mathmlToLatex(
    readXml(`<${prefix}math xmlns="http://www.w3.org/1998/Math/MathML">${inside}</${prefix}math>`, plain),
  );

describe("mathmlToLatex", () => {
  it("converts presentation MathML, with or without a prefix", () => {
    expect(latexOf("<mfrac><mi>a</mi><msqrt><mn>2</mn></msqrt></mfrac>")).toBe("\\frac{a}{\\sqrt{2}}");
    expect(latexOf("<m:msup><m:mn>10</m:mn><m:mn>8</m:mn></m:msup>", "m:")).toBe("10^{8}");
    expect(latexOf("<mtable><mtr><mtd><mn>1</mn></mtd></mtr><mtr><mtd><mn>2</mn></mtd></mtr></mtable>")).toBe(
      "\\begin{matrix}1 \\\\ 2\\end{matrix}",
    );
    expect(latexOf("<mi>a</mi><mo>&lt;</mo><mi>b</mi>")).toBe("a < b");
  });

  it("prefers an annotation in TeX", () => {
    const annotation = '<annotation encoding="application/x-tex">\\sin x$</annotation>';
    expect(latexOf(`<semantics><mi>y</mi>${annotation}</semantics>`)).toBe("\\sin x");
  });

  it("returns nothing if a part would be lost", () => {
    const lost = [
      "",
      "<apply><plus/><ci>x</ci><cn>1</cn></apply>",
      "<mi>x</mi><ms>text</ms>",
      "<mo>_</mo>",
      "<msup><mi>x</mi></msup>",
      "<mi>x</mi>".repeat(2001),
    ];
    for (const inside of lost) expect(latexOf(inside), inside.slice(0, 40)).toBeUndefined();
  });
});
