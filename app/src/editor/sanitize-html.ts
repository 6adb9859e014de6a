import DOMPurify from "dompurify";
import "../markup/sanitiser.ts";
import { convertMsWordLists } from "./ms-word-lists.ts";

/** Attributes that the editor's schema reads. The renderer's sanitizer removes some of them. */
const read = new Set(["data-style", "class", "data-latex", "data-display", "data-asset", "data-markdown"]);

let isReading = false;

// Runs after the renderer's hook.
DOMPurify.addHook("uponSanitizeAttribute", (_, attribute) => {
  if (isReading && read.has(attribute.attrName)) attribute.forceKeepAttr = true;
});

/** HTML as an element of another document: nothing in it is loaded or shown. Only the schema reads it. */
export function sanitizeAndParseHtml(html: string): HTMLElement {
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

/** A `style` attribute violates the page's policy even in a document that is never shown. Style sheets do, too. */
const withoutStyles = (html: string): string =>
  withoutStyleSheets(html).replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
    tag.replaceAll(/\sstyle\s*=/gi, " data-style="),
  );

function withoutStyleSheets(html: string): string {
  const [before = "", ...sheets] = html.split(/<style\b/i);
  return (
    before +
    sheets
      .map((sheet) =>
        sheet
          .split(/<\/style>/i)
          .slice(1)
          .join(""),
      )
      .join("")
  );
}

/** HTML from the clipboard. Word marks list items with styles instead of elements. */
export function sanitizeAndParsePastedHtml(html: string): HTMLElement {
  const body = sanitizeAndParseHtml(withoutStyles(html));
  convertMsWordLists(body);
  for (const element of body.querySelectorAll<HTMLElement>("[data-style]"))
    element.style.cssText = element.dataset["style"] ?? "";
  // Markdown tables have no merged cells.
  for (const cell of body.querySelectorAll("[colspan], [rowspan]")) {
    cell.removeAttribute("colspan");
    cell.removeAttribute("rowspan");
  }
  return body;
}
