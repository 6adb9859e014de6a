import { canonicalJson } from "../../platform/text/canonical-json.ts";
import { normalizeForComparison } from "../../platform/text/normal-text.ts";

/** Canonical JSON of these two keys, with trimmed strings in NFC. */
export const normalFormOfAnswer = (questionId: unknown, answer: unknown): string =>
  canonicalJson({ questionId, answer }, { trimStrings: true }).normalize("NFC");

/**
 * Compared if no normal form matches: trimmed of blanks and invisible characters. Never equals a normal form.
 * Undefined if a part is empty or not text.
 */
export function looseFormOfAnswer(questionId: unknown, answer: unknown): string | undefined {
  const [question, said] = [looseText(questionId), looseText(answer)];
  return question && said ? `≈${canonicalJson({ questionId: question, answer: said })}` : undefined;
}

/** Empty if the value is not text or nothing is left. */
export function looseText(value: unknown): string {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  return visible(normalizeForComparison(text));
}

const invisible = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;

/** Trims invisible characters in linear time. */
function visible(text: string): string {
  const characters = [...text];
  const isSeen = (character: string) => !invisible.test(character);
  return characters
    .slice(Math.max(characters.findIndex(isSeen), 0), characters.findLastIndex(isSeen) + 1)
    .join("");
}
