import { describe, expect, it } from "vitest";
import { stepsOf } from "../../support/counted-steps.ts";
import { soberMarkdown } from "./sober-markdown.ts";

describe("emphasis", () => {
  it("is drawn as everywhere, up to five hundred marks in a paragraph", () => {
    expect(soberMarkdown.parse("*a* and **b**, a_b_c")).toBe(
      "<p><em>a</em> and <strong>b</strong>, a_b_c</p>\n",
    );
    const many = "*a* ".repeat(250).trim();
    expect(soberMarkdown.parse(many)).toContain("<em>a</em> <em>a</em>");
    expect(soberMarkdown.parse(`${many} *b*\n\n*c*`)).toMatch(
      /^<p>\*a\* [\s\S]*\*b\*<\/p>\n<p><em>c<\/em><\/p>\n$/,
    );
  });

  it.each(["*a_", "_a*", "**a_", "***", "*a **b "])(
    "takes no endless steps to draw %s over and over",
    async (piece) => {
      const steps = await stepsOf(
        "tests/unit/app/sober-markdown.ts",
        ({ soberMarkdown }, text: string) => soberMarkdown.parse(text),
        piece.repeat(10_000 / piece.length),
      );
      // Marked rescans the paragraph for some marks, so steps and marks have a limit.
      expect(steps).toBeLessThan(60_000_000);
    },
  );
});
