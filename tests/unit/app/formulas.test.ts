import { describe, expect, it } from "vitest";
import { splitFormulasFromText } from "../../../app/src/markup/formulas.ts";

const inline = (latex: string) => ({ latex, isDisplay: false });
const display = (latex: string) => ({ latex, isDisplay: true });

it.each([
  ["a \\(x^2\\) b", [{ text: "a " }, inline("x^2"), { text: " b" }]],
  ["\\[ x \\]\n$$y$$", [display("x"), { text: "\n" }, display("y")]],
  // Table rows end with two backslashes and may state their distance.
  ["\\[ a \\\\[4pt] b \\\\ c \\]", [display("a \\\\[4pt] b \\\\ c")]],
  ["\\(\\left(a\\right) \\\\( b\\)", [inline("\\left(a\\right) \\\\( b")]],
  ["\\[ begins, and \\[y\\] ends", [{ text: "\\[ begins, and " }, display("y"), { text: " ends" }]],
  ["\\(no\nbreak\\)", [{ text: "\\(no\nbreak\\)" }]],
  ["`\\(code\\)` and $5 or $6", [{ text: "`\\(code\\)` and $5 or $6" }]],
])("partsOf takes the formulas out of %j", (source, parts) => {
  expect(splitFormulasFromText(source)).toEqual(parts);
});

describe("the formulas of a text", () => {
  it.each([
    ["a $x_1$ b", ["a ", "x_1", " b"]],
    ["$$\nx\n$$", ["x"]],
    ["\\(x\\) and \\[y\\]", ["x", " and ", "y"]],
    ["it costs $5 and $6", ["it costs $5 and $6"]],
    ["from $5 to $6.50, or $7", ["from $5 to $6.50, or $7"]],
    ["$2x + 1$ of $0.5$", ["2x + 1", " of ", "0.5"]],
    ["`$x$` and ```\n$y$\n```", ["`$x$` and ```\n$y$\n```"]],
    ["a $ alone", ["a $ alone"]],
  ])("%j has the parts %j", (source, parts) => {
    expect(splitFormulasFromText(source).map((part) => ("text" in part ? part.text : part.latex))).toEqual(
      parts,
    );
  });
});
