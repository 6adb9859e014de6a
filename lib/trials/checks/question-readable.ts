import type { Check } from "./checked-answer.ts";

/** Whether its question can be read at once, as no learner waits for a second try. */
export const questionReadable: Check = ({ question, stop }) => {
  if (stop === "malformed") return "The question's block cannot be read";
  return question ? null : undefined;
};
