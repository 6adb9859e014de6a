import type { Check } from "./checked-answer.ts";
import { textAfterLastQuestion } from "./words.ts";

/** Allowed after a question mark: closing punctuation and emphasis. */
const asks = /[?？؟][\s"'”’»)\]*_]*$/u;

const endsAsking = (text: string): boolean => {
  const behind = textAfterLastQuestion(text);
  return behind === undefined ? asks.test(text) : behind.trim() === "";
};

/** The answer must end with a question if the recorded one did. Nothing may follow a question block. */
export const checkEndsAskingAsRecorded: Check = ({ text, stop }, { recorded }) => {
  if (!endsAsking(recorded) || stop === "malformed") return undefined;
  if (endsAsking(text)) return null;
  return textAfterLastQuestion(text) === undefined
    ? "The answer does not end with a question, as the recorded one does"
    : "The answer continues after the question";
};
