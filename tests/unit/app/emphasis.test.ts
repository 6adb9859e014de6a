import { Marked } from "marked";
import { describe, expect, it } from "vitest";
import { soberEmphasis } from "../../../app/src/markup/emphasis.ts";

const markdown = new Marked({ tokenizer: soberEmphasis });

describe("emphasis", () => {
  it("is drawn as everywhere, up to five hundred marks in a paragraph", () => {
    expect(markdown.parse("*a* and **b**, a_b_c")).toBe("<p><em>a</em> and <strong>b</strong>, a_b_c</p>\n");
    const many = "*a* ".repeat(250).trim();
    expect(markdown.parse(many)).toContain("<em>a</em> <em>a</em>");
    expect(markdown.parse(`${many} *b*\n\n*c*`)).toMatch(
      /^<p>\*a\* [\s\S]*\*b\*<\/p>\n<p><em>c<\/em><\/p>\n$/,
    );
  });

  it.each(["*a_", "_a*", "**a_", "***", "*a **b "])(
    "takes no seconds of whoever reads %s over and over",
    (piece) => {
      const { user } = process.cpuUsage();
      markdown.parse(piece.repeat(10_000 / piece.length));
      expect(process.cpuUsage({ user, system: 0 }).user / 1000).toBeLessThan(500);
    },
  );
});
