/** A formula in a text, or the text between two. */
export type Part = { text: string } | { latex: string; isDisplay: boolean };

/**
 * `$$…$$` and `\[…\]` on lines of their own, `$…$` and `\(…\)` in a line; what stands in code is no formula, nor are two
 * prices. None has the beginning of another in it, so that nothing is looked through twice.
 */
const pattern =
  /(```[\s\S]*?(?:```|$)|`[^`\n]*`)|\$\$([\s\S]+?)\$\$|(?<!\\)\\\[((?:[^\\]|\\[^[\]])+)\\\]|(?<!\\)\\\(((?:[^\\\n]|\\[^()\n])+)\\\)|\$(?!\s)([^$\n]*?[^\s$\\])\$(?!\d)/g;

/** Takes the formulas out of a text, before its markup is read: `_` and `*` mean something else in them. */
export function partsOf(source: string): Part[] {
  const parts: Part[] = [];
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
