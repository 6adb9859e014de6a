import { canonicalJson } from "../text/canonical-json.ts";

/**
 * The normal form of an answer to a multiple-choice question: those two keys alone, strings trimmed and in Unicode's
 * composed form (NFC), canonical JSON. Two spellings of one answer have one.
 */
export const spokenAnswer = (questionId: unknown, answer: unknown): string =>
  canonicalJson({ questionId, answer }, { trimStrings: true }).normalize("NFC");

/**
 * The loose form of an answer, which is compared where no normal form fits: each part in Unicode's compatible form
 * (NFKC), without case, and without blanks and invisible characters at its ends. No normal form begins like it.
 * Undefined where a part is no text, or nothing of it is left.
 */
export function looseAnswer(questionId: unknown, answer: unknown): string | undefined {
  const [question, said] = [looseText(questionId), looseText(answer)];
  return question && said ? `≈${canonicalJson({ questionId: question, answer: said })}` : undefined;
}

/** The loose form of a part of an answer; empty where it is no text, or nothing of it is left. */
export function looseText(value: unknown): string {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  // Unicode folds case so that ß and SS are the same; what is folded may not be in its compatible form any more.
  return visible(text.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC"));
}

const invisible = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;

/** From the first character that can be seen to the last one; each is looked at once. */
function visible(text: string): string {
  const characters = [...text];
  const isSeen = (character: string) => !invisible.test(character);
  return characters
    .slice(Math.max(characters.findIndex(isSeen), 0), characters.findLastIndex(isSeen) + 1)
    .join("");
}
