import DOMPurify from "dompurify";
import { marked } from "marked";
import { partsOf } from "./formulas.ts";

/**
 * What a text becomes on the page: markdown and formulas, and nothing that could act. The page's policy takes markup
 * from this sanitiser alone.
 */
export async function markupOf(source: string): Promise<string> {
  const parts = partsOf(source);
  const formulas = parts.filter((part) => "latex" in part);
  const text = parts.map((part) => ("text" in part ? part.text : mark)).join("");
  const html = await marked.parse(text, { gfm: true, breaks: false });
  if (formulas.length === 0) return sanitised(html);
  const { mathMarkup } = await import("./math.ts");
  let at = 0;
  const whole = html.replaceAll(mark, () => {
    const formula = formulas[at];
    at += 1;
    return formula ? mathMarkup(formula.latex, formula.isDisplay) : "";
  });
  return sanitised(whole);
}

/** The markup of one formula on a line of its own. */
export async function formulaMarkup(latex: string): Promise<string> {
  const { mathMarkup } = await import("./math.ts");
  return sanitised(mathMarkup(latex, true));
}

/** Stands where a formula was, in no text that people write. */
const mark = "\u{F0000}";

DOMPurify.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName !== "A") return;
  element.setAttribute("target", "_blank");
  element.setAttribute("rel", "noopener noreferrer");
});

/** Trusted by the page; to TypeScript's library of the document it is a text all the same. */
const sanitised = (html: string): string =>
  DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true, mathMl: true },
    ADD_TAGS: ["semantics", "annotation"],
    FORBID_TAGS: ["style", "form", "input", "button", "textarea", "select", "video", "audio", "iframe"],
    FORBID_ATTR: ["style", "class", "id", "name"],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
    RETURN_TRUSTED_TYPE: true,
  }) as unknown as string;
