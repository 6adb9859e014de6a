import type { Check } from "./checked-answer.ts";
import { extractFormulas } from "./formulas-in.ts";
import { learnerReadableText, removeCode } from "./words.ts";

/** Each formula must be typesettable: braces, environments, and `\left` with `\right` are balanced. */
export const checkFormulasTypesettable: Check = ({ text, question }) => {
  const { formulas: found, isOpen } = extractFormulas(removeCode(learnerReadableText(text, question)));
  if (isOpen) return "A formula's delimiter has no counterpart";
  for (const formula of found) {
    const fault = faultOf(formula);
    if (fault) return `${fault} in ${formula.slice(0, 80)}`;
  }
  return found.length > 0 ? null : undefined;
};

const tokens = /\\(begin|end)\s*\{([^{}]*)\}|\\(left|right)(?![A-Za-z])|\\(?:[A-Za-z]+|[\s\S])|[{}]|\\$/g;

function faultOf(formula: string): string | undefined {
  const open: string[] = [];
  for (const [token, verb, environment, side] of formula.matchAll(tokens)) {
    const opens =
      verb === "begin"
        ? `\\end{${environment}}`
        : side === "left"
          ? "\\right"
          : token === "{"
            ? "}"
            : undefined;
    if (opens) open.push(opens);
    const closes =
      verb === "end"
        ? `\\end{${environment}}`
        : side === "right"
          ? "\\right"
          : token === "}"
            ? "}"
            : undefined;
    if (closes && open.pop() !== closes) return `${token} closes nothing`;
    if (token === "\\") return "A command has no name";
  }
  const [left] = open.slice(-1);
  if (left) return `${left} is missing`;
  return /\\(?:frac|sqrt|text|mathbf|mathrm)\s*$/.test(formula)
    ? "A command's argument is missing"
    : undefined;
}
