/** The range with delimiters, and the LaTeX between them. */
export type Formula = { start: number; end: number; latex: string; isDisplay: boolean };

const closers: Record<string, string> = { "\\(": "\\)", "\\[": "\\]", $$: "$$", $: "$" };

/**
 * By MathJax's delimiters, `\(…\)`, `\[…\]` and `$$…$$`, and with `hasDollars` Markdown's inline `$…$`.
 * Linear time, even with many unclosed delimiters.
 */
export function formulasIn(text: string, { hasDollars }: { hasDollars: boolean }): Formula[] {
  const next = nextIn(text);
  const found: Formula[] = [];
  const opener = hasDollars ? /\\[([]|\$\$?/g : /\\[([]|\$\$/g;
  for (let match = opener.exec(text); match; match = opener.exec(text)) {
    const [open] = match;
    const from = match.index + open.length;
    const closer = closers[open] ?? "";
    const at = next(closer, from);
    const isDisplay = open === "\\[" || open === "$$";
    const latex = text.slice(from, Math.min(at, text.length));
    const isFormula =
      at > from &&
      at < text.length &&
      (isDisplay || at < next("\n", from)) &&
      (open !== "$" || isWithinDollars(latex, text[at + 1]));
    if (isFormula) found.push({ start: match.index, end: at + closer.length, latex, isDisplay });
    opener.lastIndex = isFormula ? at + closer.length : match.index + 1;
  }
  return found;
}

/** Excludes amounts of money: no blank at either end, and no digit behind. */
const isWithinDollars = (latex: string, following = ""): boolean =>
  latex.trim() === latex && !latex.endsWith("\\") && !/\d/.test(following);

/** A delimiter's next position, or the text's length. Positions must increase: each is scanned once. */
function nextIn(text: string): (sign: string, from: number) => number {
  const known = new Map<string, number>();
  return (sign, from) => {
    const last = known.get(sign) ?? -1;
    if (last >= from) return last;
    const found = text.indexOf(sign, from);
    const at = found < 0 ? Number.POSITIVE_INFINITY : found;
    known.set(sign, at);
    return at;
  };
}
