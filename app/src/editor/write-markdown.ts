import { defaultMarkdownSerializer, MarkdownSerializer } from "prosemirror-markdown";
import type { Node } from "prosemirror-model";

/** Table cells are one line of Markdown. */
let isInTable = false;

const delimiters: Record<string, string> = { left: ":---", center: ":---:", right: "---:" };

const mark = (open: string, close = open) => ({
  open,
  close,
  mixable: true,
  expelEnclosingWhitespace: true,
});

const serializer = new MarkdownSerializer(
  {
    ...defaultMarkdownSerializer.nodes,
    text(state, node, _, index) {
      // `1)` begins a list as `1.` does, which the library escapes.
      const [numbered = ""] = (index === 0 && /^\s*\d+(?=\)(\s|$))/.exec(node.text ?? "")) || [];
      if (numbered) state.write(`${numbered}\\`);
      state.text((node.text ?? "").slice(numbered.length));
    },
    formula(state, node) {
      const { latex, display } = node.attrs;
      const fence = display ? "$$" : "$";
      if (latex.trim()) state.text(`${fence}${latex.trim()}${fence}`, false);
    },
    hard_break(state, node, parent, index) {
      if (isInTable) state.write("<br>");
      else defaultMarkdownSerializer.nodes["hard_break"]?.(state, node, parent, index);
    },
    table(state, node) {
      isInTable = true;
      node.forEach((row, _, at) => {
        if (at > 0) state.ensureNewLine();
        state.write("|");
        row.forEach((cell) => {
          state.write(" ");
          state.renderInline(cell.child(0));
          state.write(" |");
        });
        if (at > 0) return;
        state.ensureNewLine();
        state.write("|");
        row.forEach((cell) => {
          state.write(` ${delimiters[cell.attrs["align"]] ?? "---"} |`);
        });
      });
      isInTable = false;
      state.closeBlock(node);
    },
    source(state, node) {
      state.text(node.attrs["markdown"], false);
      state.closeBlock(node);
    },
  },
  {
    ...defaultMarkdownSerializer.marks,
    strike: mark("~~"),
    sub: mark("<sub>", "</sub>"),
    sup: mark("<sup>", "</sup>"),
  },
  // HTML, entities and cell borders.
  { escapeExtraCharacters: /[<|]|&(?=#?\w+;)/g },
);

/** A document, or one of its nodes, as Markdown. */
export const editorNodeToMarkdown = (content: Node): string => serializer.serialize(content).trim();
