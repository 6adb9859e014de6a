import { describe, expect, it } from "vitest";
import {
  convertHtmlToBlocks,
  htmlToMarkdownWithPictures,
} from "../../../../lib/integrations/cartridges/html-to-blocks.ts";
import { decodeOmission } from "../../../../lib/platform/results/omission-codes.ts";

const at = { path: "", names: new Set(["a.png", "b.png"]) };

/** Markdown as a question has it, and what is left out. */
function read(html: string): [text: string, ...leftOut: string[]] {
  const leftOut: string[] = [];
  const text = htmlToMarkdownWithPictures(html, (line) => leftOut.push(decodeOmission(line).line), at);
  return [text.replaceAll("cartridge-picture:", ""), ...leftOut];
}

const deep = (inside: string) => `${"<div>".repeat(300)}${inside}${"</div>".repeat(300)}`;

describe("a picture", () => {
  it.each([
    ["a heading", '<h3><img src="a.png"> Which?</h3>', "![](a.png)\n\n### Which?"],
    ["a box of a heading", '<h2><div><b><img src="a.png"></b></div>x</h2>', "![](a.png)\n\n## x"],
    ["code", '<pre>a\n<img src="a.png">b</pre>', "![](a.png)\n\n```\na\nb\n```"],
    ["code within a line", 'x <code><img src="a.png">b</code>', "x\n\n![](a.png)\n\nb"],
    ["markup of any depth", deep('<img src="a.png">b'), "![](a.png)\n\nb"],
    ["a deep list", `${"<ul><li>".repeat(150)}<img src="a.png">b`, expect.stringContaining("![](a.png)")],
  ])("within %s is kept", (_, html, text) => {
    expect(read(html)).toEqual([text]);
    const { blocks } = convertHtmlToBlocks(html, at);
    expect(blocks.filter(({ type }) => type === "image")).toHaveLength(1);
  });

  it.each([
    ["a heading", "<h3><img src='gone.png' alt='c'> Which?</h3>"],
    ["code", "<pre><img src='gone.png'>b</pre>"],
    ["several sizes", "<p><img srcset='a.png 1x'>b</p>"],
    ["a formula in code", "<pre><img data-equation-content='x^2' src='a.png'></pre>"],
    ["markup of any depth", deep("<img src='gone.png'>b")],
  ])("that is lost is reported: %s", (_, html) => {
    expect(read(html).slice(1)).toEqual(["img"]);
  });

  it("of the web stays in the line of its heading", () => {
    expect(read('<h2>A <img src="https://example.org/a.png"></h2>')).toEqual([
      "## A ![](https://example.org/a.png)",
    ]);
  });
});

it("a heading with a list or table is none", () => {
  expect(read("<h2>A<ul><li>b</li></ul></h2>")).toEqual(["A\n\n- b"]);
});

it.each([
  ["<pre>10<sup>8</sup></pre>", "sup"],
  ["<code>not <del>x</del></code>", "del"],
  ["<pre><svg><path/></svg></pre>", "svg"],
  ['<pre><a href="https://example.org/">x</a></pre>', "link: https://example.org/"],
])("code reports the markup that it loses: %s", (html, lost) => {
  expect(read(html).slice(1)).toEqual([lost]);
});
