import type { Check } from "./checked-answer.ts";

const timesAsLong = 3;
/** Below it an answer is not long, whatever it stands beside. */
const shortest = 1200;

/** Whether it came to its own end, says anything, and is no more than three times as long as the recorded one, where there is one. */
export const length: Check = ({ text, stop }, { recorded }) => {
  if (stop === "length") return "The answer was cut off at its longest";
  if (stop === "refusal") return "The model refused to answer";
  if (text.trim() === "") return "The answer is empty";
  if (recorded === "") return null;
  const most = Math.max(shortest, timesAsLong * recorded.length);
  return text.length > most ? `The answer has ${text.length} characters, over ${most}` : null;
};
