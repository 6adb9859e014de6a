import type { CandidateAnswer } from "./checked-answer.ts";

/** `block`: a question with options. `any`: also one in words. */
export type RequiredQuestionKind = "block" | "any" | "none";

/** In characters from the end. */
const closing = 400;
const questionMark = /[?？؟\u037e\u055e\u1367]/;
/** Greek has the semicolon as its question mark, and others ask with words. */
const askingWords =
  /\p{Script=Greek}["'”’»)*_]{0,4};|か(?:[。．]|\s{0,8}$)|(?:까요?|나요|가요|니까)(?:[.。]|\s|$)|ไหม|มั้ย|หรือไม่|หรือยัง|อะไร|อย่างไร|ทำไม|เท่าไร|เท่าไหร่|กี่|ใคร|ที่ไหน|เมื่อไร|เมื่อไหร่|ข้อใด/u;

/** Null if passed. */
export function checkRequiredQuestionAsked(
  { text, question }: CandidateAnswer,
  required: RequiredQuestionKind,
): string | null {
  if (required === "none" || question) return null;
  if (required === "block") return "The answer has no question with options";
  return asks(text.slice(-closing)) ? null : "The answer asks no question";
}

const asks = (text: string): boolean => questionMark.test(text) || askingWords.test(text);
