import type { CandidateAnswer } from "./checked-answer.ts";

/** `block`: a question with options. `any`: also one in words. */
export type RequiredQuestion = "block" | "any" | "none";

/** In characters from the end. */
const closing = 400;
const questionMark = /[?？؟\u037e]/;

/** Null if passed. */
export function checkRequiredQuestionAsked(
  { text, question }: CandidateAnswer,
  required: RequiredQuestion,
): string | null {
  if (required === "none" || question) return null;
  if (required === "block") return "The answer has no question with options";
  return questionMark.test(text.slice(-closing)) ? null : "The answer asks no question";
}
