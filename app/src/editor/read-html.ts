import DOMPurify from "dompurify";
import "../markup/sanitiser.ts";
import { convertWordLists } from "./word-lists.ts";

/** Attributes that the editor's schema reads. The renderer's sanitizer removes some of them. */
const read = new Set(["style", "class", "data-latex", "data-display", "data-asset", "data-markdown"]);

let isReading = false;

// Runs after the renderer's hook.
DOMPurify.addHook("uponSanitizeAttribute", (_, attribute) => {
  if (isReading && read.has(attribute.attrName)) attribute.forceKeepAttr = true;
});

/** HTML as an element of another document: nothing in it is loaded or shown. Only the schema reads it. */
export function parseHtml(html: string): HTMLElement {
  isReading = true;
  try {
    return DOMPurify.sanitize(html, {
      USE_PROFILES: { html: true, mathMl: true },
      ADD_TAGS: ["semantics", "annotation"],
      FORBID_TAGS: ["style", "form", "input", "button", "textarea", "select", "video", "audio"],
      RETURN_DOM: true,
    }) as HTMLElement;
  } finally {
    isReading = false;
  }
}

/** HTML from the clipboard. Word marks list items with styles instead of elements. */
export function parsePastedHtml(html: string): HTMLElement {
  const body = parseHtml(html);
  convertWordLists(body);
  // Markdown tables have no merged cells.
  for (const cell of body.querySelectorAll("[colspan], [rowspan]")) {
    cell.removeAttribute("colspan");
    cell.removeAttribute("rowspan");
  }
  return body;
}
