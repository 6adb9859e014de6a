import { isBlank } from "../../../schema/api/platform/is-blank.ts";
import type { Check } from "./checked-answer.ts";

const timesAsLong = 3;
/** Shorter answers are never too long. */
const minCharactersOfTooLongAnswer = 1200;

/** The answer must be complete, not empty, and at most three times as long as the recorded one. */
export const checkCompleteAndNotTooLong: Check = ({ text, stop }, { recorded }) => {
  if (stop === "length") return "The answer was cut off at its maximum length";
  if (stop === "refusal") return "The model refused to answer";
  if (isBlank(text)) return "The answer is empty";
  if (recorded === "") return null;
  const most = Math.max(minCharactersOfTooLongAnswer, timesAsLong * recorded.length);
  return text.length > most ? `The answer has ${text.length} characters, over ${most}` : null;
};
