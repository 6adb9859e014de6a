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

describe("hidden content", () => {
  it.each([
    ['<p style="color:red; display : NONE !important">x</p>', "setting display: none"],
    ["<div hidden><p>x</p></div>", "setting hidden: div"],
    ['<span style="visibility:hidden">x</span>', "setting visibility: hidden"],
    ['<p hidden=""><img src="a.png"></p>', "setting hidden: p"],
  ])("is left out and reported: %s", (html, lost) => {
    expect(read(`<p>a</p>${html}`)).toEqual(["a", lost]);
  });

  it("is not what has no text, or what is shown", () => {
    expect(read('a<span style="display:none">\ufeff</span>')).toEqual(["a"]);
    expect(read('<p style="display:none; display:block">a</p>')).toEqual(["a"]);
    expect(read('<p data-x="display:none" hidden="until-found">a</p>')).toEqual(["a"]);
  });
});

it.each([
  ['is <span style="text-decoration: underline line-through">not</span> x', "is ~~not~~ x"],
  ['<p style="text-decoration-line:line-through">a</p>', "~~a~~"],
  ["<del><p>a <s>b</s></p><ul><li>c</li></ul></del>", "~~a b~~\n\n- ~~c~~"],
  [
    '<table><tr><th>a<th style="text-decoration:line-through">b<tr><td>c<td>d</table>',
    "| a | ~~b~~ |\n| --- | --- |\n| c | d |",
  ],
  ["<h2><del>a</del></h2>", "## ~~a~~"],
])("struck text stays struck: %s", (html, text) => {
  expect(read(html)).toEqual([text]);
});

it.each([
  ['x<sup><a href="https://example.org/">1</a></sup>', "x[¹](https://example.org/)"],
  ["x<sup><del>1</del></sup>", "x~~¹~~"],
  ['10<span style="vertical-align: super">8</span>', "10⁸"],
  ['H<span style="vertical-align:sub">2</span>O', "H₂O"],
])("a script keeps its meaning: %s", (html, text) => {
  expect(read(html)).toEqual([text]);
});

it.each([
  ['<a href="https://example.org/"><img src="a.png"></a>', "![](a.png)"],
  ['<a href="https://example.org/"><p>x</p></a>', "x"],
])("a link around blocks is reported: %s", (html, text) => {
  expect(read(html)).toEqual([text, "link: https://example.org/"]);
});

describe("a list", () => {
  it.each([
    ["<ul><li>Fruit</li><ul><li>Red</li><li>Green</li></ul></ul>", "- Fruit\n  - Red\n  - Green"],
    ["<ol><li>a</li><ol><li>b</li></ol><li>c</li></ol>", "1. a\n   1. b\n2. c"],
    ["<ul><ul><li>a</li></ul></ul>", "- a"],
    ["<div><li>a</li><li>b</li></div>", "a\n\nb"],
    ['<ol type="A"><li>a</li><li>b</li></ol>', "A. a\n\nB. b"],
    ['<ol style="list-style-type: lower-roman" start="4"><li>a</li><li>b</li></ol>', "iv. a\n\nv. b"],
    ['<ul style="list-style: upper-alpha inside"><li>a</li></ul>', "A. a"],
    ['<ol><li style="list-style-type:lower-alpha" value="27">a</li></ol>', "aa. a"],
    ['<ol><li>a</li><li value="5">b</li><li>c</li></ol>', "1. a\n\n5\\. b\n\n6. c"],
    ["<ol reversed><li>a</li><li>b</li></ol>", "2\\. a\n\n1\\. b"],
    ['<ol start="3"><li>a</li><li>b</li></ol>', "3. a\n4. b"],
    ["<ol><li>a</li><li></li><li>c</li></ol>", "1. a\n2.\n3. c"],
    ['<ol type="A"><li>a<ul><li>b</li></ul></li><li>c</li></ol>', "A. a\n\n- b\n\nB. c"],
    ['<ol><li>a</li><li><img src="a.png">b</li><li>c</li></ol>', "1. a\n\n![](a.png)\n\n2. b\n3. c"],
    ['<ol><li><img src="a.png"></li><li><img src="b.png"></li></ol>', "![](a.png)\n\n1.\n\n![](b.png)\n\n2."],
    ['<ul><li><img src="a.png"></li><li>b</li></ul>', "![](a.png)\n\n- b"],
  ])("keeps its order and marks: %s", (html, text) => {
    expect(read(html)).toEqual([text]);
  });

  it("reports an unknown style", () => {
    expect(read('<ol style="list-style-type:lower-greek"><li>a</li></ol>')).toEqual([
      "1. a",
      "setting list-style: lower-greek",
    ]);
  });
});

describe("a table", () => {
  const table = (...rows: string[]) => `<table>${rows.map((row) => `<tr>${row}</tr>`).join("")}</table>`;

  it.each([
    [
      table("<th>a<th>b<th>c", "<td rowspan=2>1<td>2<td>3", "<td>4<td>5"),
      "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
    ],
    [table("<th colspan=2>a<th>b", "<td>1<td>2<td>3"), "| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |"],
    [table("<th>a<th>b", '<td colspan="1000">1'), "| a | b |\n| --- | --- |\n| 1 |  |"],
    [table("<th>a<th>b", "<td rowspan=0>1<td>2", "<td>3"), "| a | b |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |"],
    [
      "<table><thead><tr><th rowspan=2>a<th>b</thead><tbody><tr><td>1<td>2</tbody></table>",
      "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ],
  ])("keeps its columns: %s", (html, text) => {
    expect(read(html)).toEqual([text]);
  });

  it("with pictures is read cell by cell, and reported", () => {
    expect(read(table('<td><img src="a.png"><td>a', '<td><img src="b.png"><td>b'))).toEqual([
      "![](a.png)\n\na\n\n![](b.png)\n\nb",
      "table",
    ]);
  });

  it("that is mostly empty does not grow", () => {
    const wide = table('<td colspan="100">1'.repeat(200), ...Array.from({ length: 500 }, () => "<td>2"));
    const [text, lost] = read(wide);
    expect([text.length < 5000, lost]).toEqual([true, "table"]);
  });
});
