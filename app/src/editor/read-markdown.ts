import { DOMParser, type Node, type Slice } from "prosemirror-model";
import type { FormulaOrText } from "../markup/formulas.ts";
import { formulaPlaceholder, parseMarkdownAndFormulas } from "../markup/markup.ts";
import { sanitizeAndParseHtml, sanitizeAndParsePastedHtml } from "./sanitize-html.ts";
import { editorSchema } from "./schema.ts";
import { editorNodeToMarkdown } from "./write-markdown.ts";

const parser = DOMParser.fromSchema(editorSchema);

type Formula = Extract<FormulaOrText, { latex: string }>;

/** Replaces each formula's placeholder with an element that the schema reads. */
function placeFormulas(body: HTMLElement, formulas: readonly Formula[]): void {
  const document = body.ownerDocument;
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  let at = 0;
  for (const text of texts.filter(({ data }) => data.includes(formulaPlaceholder))) {
    const [before = "", ...after] = text.data.split(formulaPlaceholder);
    const pieces: (string | HTMLElement)[] = [before];
    for (const words of after) {
      const { latex, isDisplay } = formulas[at] ?? { latex: "", isDisplay: false };
      const element = document.createElement("span");
      element.dataset["latex"] = latex;
      element.dataset["display"] = String(isDisplay);
      pieces.push(element, words);
      at += 1;
    }
    text.replaceWith(...pieces);
  }
}

function renderedBody(source: string): HTMLElement {
  const { html, formulas } = parseMarkdownAndFormulas(source);
  const body = sanitizeAndParseHtml(html);
  placeFormulas(body, formulas);
  return body;
}

const rendered = (source: string): string =>
  renderedBody(source)
    .innerHTML.replaceAll(/\s+/g, " ")
    .replaceAll(/> | </g, (edge) => edge.trim());

/**
 * The top-level nodes of a Markdown text, read as the renderer reads it. One `source` node if writing them
 * would change what learners see, such as raw HTML.
 */
export function markdownToEditorNodes(source: string): Node[] {
  const doc = parser.parse(renderedBody(source));
  return rendered(editorNodeToMarkdown(doc)) === rendered(source)
    ? [...doc.children]
    : [editorSchema.nodes.source.create({ markdown: source })];
}

/** What the clipboard's HTML becomes in a document, and how many pictures it names that only its program has. */
export function pastedHtmlToEditorSlice(html: string): { slice: Slice; lostPictures: number } {
  const body = sanitizeAndParsePastedHtml(html);
  const lostPictures = body.querySelectorAll("img:not([src], [data-file], [data-asset])").length;
  return { slice: parser.parseSlice(body), lostPictures };
}
