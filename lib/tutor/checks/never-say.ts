import type { Check } from "./checked-answer.ts";
import { learnerReadableText, normalizedWords } from "./words.ts";

export const checkForbiddenPhrases: Check = ({ text, question }, { neverSay }) => {
  const phrases = neverSay.map((phrase) => normalizedWords(phrase).join(" ")).filter(Boolean);
  if (phrases.length === 0) return undefined;
  const said = ` ${normalizedWords(learnerReadableText(text, question)).join(" ")} `;
  const found = phrases.find((phrase) => said.includes(` ${phrase} `));
  return found === undefined ? null : `The answer contains “${found}”, which is forbidden`;
};
