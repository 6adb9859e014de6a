import type { Check } from "./checked-answer.ts";
import { behindQuestion } from "./words.ts";

/** What may follow a question mark: what closes its sentence, and marks of emphasis. */
const asks = /[?？؟][\s"'”’»)\]*_]*$/u;

const endsAsking = (text: string): boolean => {
  const behind = behindQuestion(text);
  return behind === undefined ? asks.test(text) : behind.trim() === "";
};

/** Whether it ends with a question where the recorded answer did: behind a block nothing is said. */
export const endsWithQuestion: Check = ({ text, stop }, { recorded }) => {
  if (!endsAsking(recorded) || stop === "malformed") return undefined;
  if (endsAsking(text)) return null;
  return behindQuestion(text) === undefined
    ? "The answer does not end with a question, as the recorded one does"
    : "Something is said behind the question";
};
