import { looseFormOfAnswer } from "../dialogue/answer-normal-form.ts";
import type { Check } from "./checked-answer.ts";

const minOfferedOptions = 2;
const maxOfferedOptions = 6;

/** A usual number of options and no duplicates. */
export const checkQuestionOptions: Check = ({ question }) => {
  if (!question) return undefined;
  const count = question.options.length;
  if (count < minOfferedOptions || count > maxOfferedOptions)
    return `${count} options are offered: ${minOfferedOptions} to ${maxOfferedOptions} are usual`;
  const seen = new Map<string, string>();
  for (const { id, text } of question.options) {
    const form = looseFormOfAnswer("q", text) ?? "";
    const former = seen.get(form);
    if (former !== undefined) return `The options ${former} and ${id} read the same`;
    seen.set(form, id);
  }
  return null;
};
