import fc from "fast-check";
import { Marked } from "marked";
import { type DefaultTreeAdapterMap, parseFragment } from "parse5";
import { describe, expect, it } from "vitest";
import { formulasIn } from "../../../../lib/platform/text/formulas.ts";
import {
  markdownToPlainText,
  plainTextToMarkdown,
} from "../../../../lib/platform/text/plain-text-markdown.ts";

const marked = new Marked({ gfm: true });

const elementsAndText = (node: DefaultTreeAdapterMap["node"]): string[] => {
  if (node.nodeName === "#text" && "value" in node) return [node.value];
  const name = ["p", "br", "a", "#document-fragment"].includes(node.nodeName) ? [] : [`<${node.nodeName}>`];
  return [...name, ...("childNodes" in node ? node.childNodes.flatMap(elementsAndText) : [])];
};

/** What a reader sees, with the names of elements other than paragraphs. */
const shown = (markdown: string): string =>
  elementsAndText(parseFragment(marked.parse(markdown, { async: false }) as string)).join(" ");

const visible = (text: string): string => text.replaceAll(/\s+/g, "");

const plain = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."#*_-+=>|:.)(<&;!`~$[]\\^{} \n\n1a"),
      fc.constantFrom("---", "***", "===", "1. ", "- ", "> ", "```", "&amp;", "<b>", "| a | b |", "    "),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(""))
  .filter((text) => formulasIn(text, { hasDollars: false }).length === 0);

describe("plain text as Markdown", () => {
  it("shows the same characters, and no markup", () => {
    fc.assert(
      fc.property(plain, (text) => {
        expect(visible(shown(plainTextToMarkdown(text)))).toBe(visible(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("can be turned back", () => {
    fc.assert(
      fc.property(plain, (text) => {
        const markdown = plainTextToMarkdown(text);
        const back = markdownToPlainText(markdown);
        expect(back).toBeDefined();
        expect(plainTextToMarkdown(back ?? "")).toBe(markdown);
        expect(visible(back ?? "")).toBe(visible(text));
      }),
    );
  });

  it.each(["**a**", "# a", "- a", "$x$", "[a](b)", "a\nb", "`a`", "> a"])(
    "is not what has marks: %j",
    (text) => expect(markdownToPlainText(text)).toBeUndefined(),
  );

  it("keeps lines, paragraphs and formulas", () => {
    expect(plainTextToMarkdown("a\nb\r\n\r\n  c  d")).toBe("a  \nb\n\nc d");
    expect(plainTextToMarkdown("\\(x_1\\) and $$y_2$$")).toBe("$x_1$ and $$y_2$$");
  });
});
