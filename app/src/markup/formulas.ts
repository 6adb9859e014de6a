/** A formula, or the text between two. */
export type FormulaOrText = { text: string } | { latex: string; isDisplay: boolean };

/**
 * `$$…$$` and `\[…\]` on separate lines, `$…$` and `\(…\)` inline. Skips code and prices. No alternative
 * contains another's opening, which keeps matching linear.
 */
const pattern =
  /(```[\s\S]*?(?:```|$)|`[^`\n]*`)|\$\$([\s\S]+?)\$\$|(?<!\\)\\\[((?:[^\\]|\\[^[\]])+)\\\]|(?<!\\)\\\(((?:[^\\\n]|\\[^()\n])+)\\\)|\$(?!\s)([^$\n]*?[^\s$\\])\$(?!\d)/g;

/** Extracts formulas before Markdown parsing, which would interpret `_` and `*`. */
export function splitFormulasFromText(source: string): FormulaOrText[] {
  const parts: FormulaOrText[] = [];
  let text = "";
  let end = 0;
  for (const found of source.matchAll(pattern)) {
    const [whole, code, dollars, brackets, parentheses, dollar] = found;
    text += source.slice(end, found.index);
    end = found.index + whole.length;
    if (code !== undefined) {
      text += whole;
      continue;
    }
    if (text) parts.push({ text });
    text = "";
    const display = dollars ?? brackets;
    parts.push({
      latex: (display ?? parentheses ?? dollar ?? "").trim(),
      isDisplay: display !== undefined,
    });
  }
  text += source.slice(end);
  if (text) parts.push({ text });
  return parts;
}
