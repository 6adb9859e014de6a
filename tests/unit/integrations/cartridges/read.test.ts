import { describe, expect, it } from "vitest";
import {
  convertHtmlToBlocks,
  htmlToMarkdown,
} from "../../../../lib/integrations/cartridges/html-to-blocks.ts";
import { resolveArchiveFile } from "../../../../lib/integrations/cartridges/paths.ts";
import { readManifest } from "../../../../lib/integrations/cartridges/read-manifest.ts";
import { readPart } from "../../../../lib/integrations/cartridges/read-part.ts";
import { buildPageHtml } from "../../../../lib/integrations/cartridges/write-page.ts";
import { decodeOmission, encodeOmittedElement } from "../../../../lib/platform/results/omission-codes.ts";
import { choices, equal, item, manifestOf, qtiItem, quizOf, resource } from "../../../support/cartridges.ts";

const titles = { untitled: "Course", further: "Further" };
const planOf = (items: string, resources: string, names: string[]) =>
  readManifest({ text: manifestOf(items, resources), names, titles }).parts.map(
    ({ kind, title, parent, refusal }) => [kind, title, parent, ...(refusal ? [refusal.outcome] : [])],
  );

describe("a manifest", () => {
  it("is read as Moodle writes it: folders with an empty reference, resources with dependencies", () => {
    const folder = `<item identifier="I_1" identifierref=""><title>Section 1</title>${item("I_2", "Page", "I_2_R")}</item>`;
    const resources =
      resource("I_2_R", "webcontent", ["i_2/page.html"], '<dependency identifierref="I_3_R"/>') +
      resource("I_3_R", "webcontent", ["i_3/wave.png"]) +
      resource("I_4_R", "imsqti_xmlv1p2/imscc_xmlv1p1/question-bank", ["i_4/questions.xml"]);
    expect(planOf(folder, resources, ["i_2/page.html", "i_3/wave.png", "i_4/questions.xml"])).toEqual([
      ["module", "Section 1", null],
      ["page", "Page", 0],
      ["module", "Further", null],
      ["file", "wave", 2],
      ["question_bank", "questions", 2],
    ]);
  });

  it("ends for circular dependencies, and puts top-level content into a separate module", () => {
    const associated = "associatedcontent/imscc_xmlv1p1/learning-application-resource";
    const resources =
      resource("a", "imsdt_xmlv1p1", ["a.xml"], '<dependency identifierref="b"/>') +
      resource("b", associated, ["b.xml"], '<dependency identifierref="c"/>') +
      resource("c", associated, ["c.xml"], '<dependency identifierref="b"/><dependency identifierref="a"/>');
    expect(
      planOf(item("i", "Topic", "a") + item("j", "Folder", undefined, item("k", "Again", "a")), resources, [
        "a.xml",
      ]),
    ).toEqual([
      ["module", "Waves", null],
      ["topic", "Topic", 0],
      ["module", "Folder", null],
      ["topic", "Again", 2],
    ]);
  });

  it("reports excessive nesting, and rejects a manifest that is deeper than any outline", () => {
    const nested = (depth: number): string =>
      depth === 0 ? "" : item(`i${depth}`, `Depth ${depth}`, undefined, nested(depth - 1));
    const deep = planOf(nested(35), "", []);
    expect(deep.filter(([, , , outcome]) => outcome === "refused")).toHaveLength(2);
    expect(() => readManifest({ text: manifestOf(nested(70), ""), names: [], titles })).toThrow(
      "imsmanifest.xml cannot be read",
    );
  });
});

describe("a page", () => {
  const at = { path: "i_2/page.html", names: new Set(["i_3/wave.png", "web_resources/a b.png"]) };

  it("finds the files of the archive however they are named, and none that lies out of it", () => {
    expect(resolveArchiveFile("../i_3/wave.png", at.path, at.names)).toBe("i_3/wave.png");
    expect(resolveArchiveFile("$IMS-CC-FILEBASE$../i_3/wave.png", at.path, at.names)).toBe("i_3/wave.png");
    expect(resolveArchiveFile("$IMS-CC-FILEBASE$/a%20b.png?x=1", at.path, at.names)).toBe(
      "web_resources/a b.png",
    );
    for (const address of [
      "../../../etc/passwd",
      "https://example.org/i_3/wave.png",
      "javascript:x",
      "//host/i_3/wave.png",
      "",
    ])
      expect(resolveArchiveFile(address, at.path, at.names)).toBeUndefined();
  });

  it("is Markdown that says the same, however its text looks like markup", () => {
    const { blocks, leftOut } = convertHtmlToBlocks(
      "<h1>A</h1><p># no *heading* <code>a`b</code></p><ol start=3><li>x<ul><li>y</li></ul></li></ol><table><tr><th>A<th>B<tr><td>1<td>2|3</table><blockquote>q<p>r</blockquote><pre>p\n q</pre>",
      at,
    );
    expect(leftOut).toEqual([]);
    expect(blocks).toEqual([
      {
        type: "paragraph",
        text: "# A\n\n\\# no \\*heading\\* ``a`b``\n\n3. x\n\n   - y\n\n| A | B |\n| --- | --- |\n| 1 | 2\\|3 |\n\n> q\n> \n> r\n\n```\np\n q\n```",
      },
    ]);
  });

  it("keeps the text of a custom element, and reports one without text", () => {
    const { blocks, leftOut } = convertHtmlToBlocks(
      '<p>a <my-map lat="3"></my-map><my-note>b</my-note><o:p></o:p></p>',
      at,
    );
    expect(blocks).toEqual([{ type: "paragraph", text: "a b" }]);
    expect(leftOut).toEqual([encodeOmittedElement("my-map")]);
  });

  it("has no active content, in any disguise", () => {
    const hidden = [
      "<scr<script>ipt>a()</script>",
      "<svg onload=a()><script>a()</script></svg>",
      '<a href=" java\nscript:a()">x</a>',
      '<iframe srcdoc="<script>a()</script>"></iframe>',
      '<img src="data:text/html,x" onerror=a()>',
      "<math><mtext></form><form><mglyph><style></math><img src onerror=a()>",
      '<template><script>a()</script></template><noscript><p title="</noscript><img src=x onerror=a()>">',
      "&lt;script&gt;a()&lt;/script&gt;",
    ];
    for (const html of hidden) {
      const text = convertHtmlToBlocks(html, at)
        .blocks.map((block) => (block.type === "paragraph" ? block.text : ""))
        .join("\n");
      expect(text).not.toMatch(/(?<!\\)<|javascript:|data:/);
      expect(buildPageHtml("x", { blocks: [{ type: "paragraph", text }] }, "")).not.toMatch(
        /<(script|img|svg|iframe)|onerror=a\(\)>/,
      );
    }
    expect(htmlToMarkdown(`${"<div>".repeat(20_000)}deep`, () => {})).toBe("deep");
  });
});

describe("a quiz of QTI 1.2", () => {
  it("reports unsupported questions by number, and takes the rest", () => {
    const bytes = Buffer.from(
      quizOf(
        qtiItem("cc.multiple_choice.v0p1", "Which?", choices("Single", { a: "1", b: "2" }), equal("a")),
        qtiItem("cc.pattern_match.v0p1", "Pattern?", "", ""),
        qtiItem("calculated_question", "Formula?", "", ""),
        qtiItem("cc.multiple_choice.v0p1", "No answer", choices("Single", { a: "1", b: "2" })),
      ),
    );
    const read = readPart({ quiz: bytes, settings: undefined, path: "quiz.xml", names: [] });
    if (!("quiz" in read)) throw new Error("no quiz");
    expect(read.quiz.questions).toHaveLength(1);
    expect(read.quiz.leftOut.map((line) => decodeOmission(line).line.split(":")[0])).toEqual(["2", "3", "4"]);
  });
});
