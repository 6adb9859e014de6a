import { Marked } from "marked";
import { t } from "../texts.ts";
import { soberEmphasis } from "./emphasis.ts";
import { partsOf } from "./formulas.ts";
import { sanitised, sanitisedWithoutPictures } from "./sanitiser.ts";

/**
 * What a text becomes on the page: markdown and formulas, and nothing that could act. Pictures are links unless they are
 * wanted. The page's policy takes markup from this sanitiser alone.
 */
export async function markupOf(source: string, hasPictures: boolean): Promise<string> {
  const safe = hasPictures ? sanitised : sanitisedWithoutPictures;
  const parts = partsOf(source);
  const formulas = parts.filter((part) => "latex" in part);
  const text = parts.map((part) => ("text" in part ? part.text : mark)).join("");
  const html = await markdown.parse(text);
  if (formulas.length === 0) return safe(html);
  const { mathMarkup } = await import("./math.ts");
  let at = 0;
  const whole = html.replaceAll(mark, () => {
    const formula = formulas[at];
    at += 1;
    return formula ? mathMarkup(formula.latex, formula.isDisplay) : "";
  });
  return safe(whole);
}

/** The markup of one formula on a line of its own. */
export async function formulaMarkup(latex: string): Promise<string> {
  const { mathMarkup } = await import("./math.ts");
  return sanitised(mathMarkup(latex, true));
}

/** Stands where a formula was, in no text that people write. */
const mark = "\u{F0000}";

const markdown = new Marked({
  gfm: true,
  breaks: false,
  tokenizer: soberEmphasis,
  renderer: {
    // A box that nobody can tick is a picture.
    checkbox: ({ checked }) =>
      `<span role="img" aria-label="${t(checked ? "task.done" : "task.open")}">${checked ? "☑" : "☐"}</span> `,
  },
});
