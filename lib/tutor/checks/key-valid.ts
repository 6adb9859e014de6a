import type { Check } from "./checked-answer.ts";

export const checkKeyNamesOneOption: Check = ({ question, key, writtenKeys }) => {
  if (!question || (!key && writtenKeys.length === 0)) return undefined;
  if (!key) return "The key does not name exactly one of the options";
  return question.options.some(({ id }) => id === key.answer)
    ? null
    : `The key names ${key.answer}, which is not offered`;
};
