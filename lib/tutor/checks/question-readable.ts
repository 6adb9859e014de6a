import type { Check } from "./checked-answer.ts";

/** The question must parse without a retry, because learners do not wait for one. */
export const checkQuestionReadable: Check = ({ question, stop }) => {
  if (stop === "malformed") return "The question's block cannot be read";
  return question ? null : undefined;
};
