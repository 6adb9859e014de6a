import type { Check } from "./checked-answer.ts";
import { readBy, wordsOf } from "./words.ts";

export const neverSay: Check = ({ text, question }, { neverSay }) => {
  const phrases = neverSay.map((phrase) => wordsOf(phrase).join(" ")).filter(Boolean);
  if (phrases.length === 0) return undefined;
  const said = ` ${wordsOf(readBy(text, question)).join(" ")} `;
  const found = phrases.find((phrase) => said.includes(` ${phrase} `));
  return found === undefined ? null : `The answer contains “${found}”, which is forbidden`;
};
