export type ExtractedFormulas = {
  formulas: string[];
  rest: string;
  isOpen: boolean;
};

const closings: Readonly<Record<string, string>> = { $$: "$$", "\\[": "\\]", "\\(": "\\)" };

/**
 * Finds formulas in `$$`, `\[` and `\(` and between two `$` of one line by Markdown's rules, which exclude
 * prices. Linear.
 */
export function extractFormulas(text: string): ExtractedFormulas {
  const formulas: string[] = [];
  let rest = "";
  let isOpen = false;
  for (let at = 0; at < text.length; ) {
    const two = text.slice(at, at + 2);
    const closing = closings[two];
    const end = closing === undefined ? endOfLineFormula(text, at) : text.indexOf(closing, at + 2);
    if (closing !== undefined && end < 0) return { formulas, rest: rest + text.slice(at), isOpen: true };
    if (end >= 0) {
      const width = closing === undefined ? 1 : 2;
      formulas.push(text.slice(at + width, end));
      rest += " ";
      at = end + width;
      continue;
    }
    isOpen ||= two === "\\]" || two === "\\)";
    const width = text[at] === "\\" ? 2 : 1;
    rest += text.slice(at, at + width);
    at += width;
  }
  return { formulas, rest, isOpen };
}

/** -1 if a single `$` begins no formula. */
function endOfLineFormula(text: string, at: number): number {
  if (text[at] !== "$" || isBlank(text[at + 1])) return -1;
  const end = text.indexOf("$", at + 1);
  if (end < 0 || isBlank(text[end - 1]) || /\d/.test(text[end + 1] ?? "")) return -1;
  return text.slice(at, end).includes("\n") ? -1 : end;
}

const isBlank = (character: string | undefined): boolean => character === undefined || /\s/.test(character);
