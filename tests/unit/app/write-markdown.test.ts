import { describe, expect, it } from "vitest";
import { editorSchema } from "../../../app/src/editor/schema.ts";
import { editorNodeToMarkdown } from "../../../app/src/editor/write-markdown.ts";

const { nodes, marks } = editorSchema;
const text = (words: string) => nodes.paragraph.create(null, editorSchema.text(words));
const written = (...content: Parameters<typeof nodes.doc.create>[1][]) =>
  editorNodeToMarkdown(nodes.doc.create(null, content as never));

describe("the editor's Markdown", () => {
  it.each([
    ["2 * 3 * 4", "2 \\* 3 \\* 4"],
    ["# no heading", "\\# no heading"],
    ["- no list", "\\- no list"],
    ["1. no list", "1\\. no list"],
    ["1) no list", "1\\) no list"],
    ["a <b> & &amp; c", "a \\<b> & \\&amp; c"],
    ["a | b", "a \\| b"],
    ["snake_case and _this_", "snake_case and \\_this\\_"],
  ])("escapes what a reader must see as it is typed: %s", (typed, markdown) => {
    expect(written(text(typed))).toBe(markdown);
  });

  it("keeps LaTeX as it is, and omits an empty formula", () => {
    const formula = (latex: string, display: boolean) => nodes.formula.create({ latex, display });
    const line = nodes.paragraph.create(null, [
      editorSchema.text("Since "),
      formula("a_1 * b_1 < \\|c\\|", false),
      formula(" ", false),
      formula("x^2", true),
    ]);
    expect(written(line)).toBe("Since $a_1 * b_1 < \\|c\\|$$$x^2$$");
  });

  it("writes subscripts as HTML, and marks without the space at their ends", () => {
    const line = nodes.paragraph.create(null, [
      editorSchema.text("H"),
      editorSchema.text("2", [marks.sub.create()]),
      editorSchema.text("O is "),
      editorSchema.text("wet ", [marks.strong.create()]),
      editorSchema.text("today"),
    ]);
    expect(written(line)).toBe("H<sub>2</sub>O is **wet** today");
  });

  it("writes a table with the alignment of its columns, and lines of a cell in one line", () => {
    const cell = (type: typeof nodes.table_cell, words: string, align: string | null = null) =>
      type.create({ align }, nodes.paragraph.create(null, editorSchema.text(words)));
    const broken = nodes.table_cell.create(
      null,
      nodes.paragraph.create(null, [
        editorSchema.text("a"),
        nodes.hard_break.create(),
        editorSchema.text("b|c"),
      ]),
    );
    const table = nodes.table.create(null, [
      nodes.table_row.create(null, [cell(nodes.table_header, "f"), cell(nodes.table_header, "A", "right")]),
      nodes.table_row.create(null, [broken, cell(nodes.table_cell, "2", "right")]),
    ]);
    expect(written(table, text("Below."))).toBe(
      ["| f | A |", "| --- | ---: |", "| a<br>b\\|c | 2 |", "", "Below."].join("\n"),
    );
  });

  it("writes nested lists, loose or tight as they were read", () => {
    const item = (words: string, ...inner: Parameters<typeof nodes.list_item.create>[1][]) =>
      nodes.list_item.create(null, [text(words), ...inner] as never);
    const inner = nodes.ordered_list.create({ order: 3 }, [item("c")]);
    const tight = nodes.bullet_list.create(null, [item("a"), item("b", inner)]);
    expect(written(tight)).toBe("* a\n* b\n  3. c");
    expect(written(nodes.bullet_list.create({ tight: false }, [item("a"), item("b")]))).toBe("* a\n\n* b");
  });
});
