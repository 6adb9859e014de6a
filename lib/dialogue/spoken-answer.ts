import { canonicalJson } from "../text/canonical-json.ts";

/**
 * The normal form of an answer to a multiple-choice question: those two keys alone, strings trimmed and in Unicode's
 * composed form (NFC), canonical JSON. Two spellings of one answer have one.
 */
export const spokenAnswer = (questionId: unknown, answer: unknown): string =>
  canonicalJson({ questionId, answer }, { trimStrings: true }).normalize("NFC");
