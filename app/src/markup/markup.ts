import { Marked } from "marked";
import { t } from "../texts.ts";
import { limitedEmphasisTokenizer } from "./emphasis.ts";
import { splitFormulasFromText } from "./formulas.ts";
import { sanitizeHtml, sanitizeHtmlWithoutPictures } from "./sanitiser.ts";

/**
 * Renders Markdown and formulas to sanitized HTML. Pictures become links unless wanted. Trusted Types allow
 * HTML only from this sanitizer.
 */
export async function renderMarkdown(source: string, hasPictures: boolean): Promise<string> {
  const safe = hasPictures ? sanitizeHtml : sanitizeHtmlWithoutPictures;
  const { html, formulas } = parseMarkdownAndFormulas(source);
  if (formulas.length === 0) return safe(html);
  const { renderFormulaAsMathMl } = await import("./math.ts");
  let at = 0;
  const whole = html.replaceAll(formulaPlaceholder, () => {
    const formula = formulas[at];
    at += 1;
    return formula ? renderFormulaAsMathMl(formula.latex, formula.isDisplay) : "";
  });
  return safe(whole);
}

/** One display formula as markup. */
export async function renderDisplayFormula(latex: string): Promise<string> {
  const { renderFormulaAsMathMl } = await import("./math.ts");
  return sanitizeHtml(renderFormulaAsMathMl(latex, true));
}

/** HTML that is not sanitized, with a placeholder for each formula. */
export function parseMarkdownAndFormulas(source: string) {
  const parts = splitFormulasFromText(source);
  const text = parts.map((part) => ("text" in part ? part.text : formulaPlaceholder)).join("");
  return {
    html: markdown.parse(text, { async: false }),
    formulas: parts.filter((part) => "latex" in part),
  };
}

/** Placeholder for a formula: a private-use character. */
export const formulaPlaceholder = "\u{F0000}";

const escapedAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const markdown = new Marked({
  gfm: true,
  breaks: false,
  tokenizer: limitedEmphasisTokenizer,
  renderer: {
    image({ href, text, tokens }) {
      const [, file] = /^file:(\d{1,15})$/.exec(href) ?? [];
      const words = this.parser.parseInline(tokens, this.parser.textRenderer) || text;
      return file !== undefined && `<img data-file="${file}" alt="${escapedAttribute(words)}">`;
    },
    // A checkbox that cannot be changed is rendered as an image with a label.
    checkbox: ({ checked }) =>
      `<span role="img" aria-label="${t(checked ? "task.done" : "task.open")}">${checked ? "☑" : "☐"}</span> `,
  },
});
