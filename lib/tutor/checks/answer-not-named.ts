import type { Check, FormerQuestion } from "./checked-answer.ts";
import { isAnswerGiven, isCalledRight, othersThan, says } from "./naming.ts";
import { proseOf, wordsOf } from "./words.ts";

/** An option of this many words cannot occur by chance. */
const tellingWords = 4;

/** The text around a question must not reveal the correct option. */
export const answerNotNamed: Check = ({ text, question, key }, { former }) => {
  if (!question || !key) return undefined;
  const right = question.options.find(({ id }) => id === key.answer);
  if (!right) return undefined;
  const prose = proseOf(text);
  const others = othersThan(right.text, question);
  if (!isTextOfFormer(right.text, former)) {
    const spoken = wordsOf(prose);
    const isQuoted =
      wordsOf(right.text).length >= tellingWords &&
      says(spoken, wordsOf(right.text)) &&
      !others.some((other) => says(spoken, wordsOf(other)));
    if (isQuoted || isAnswerGiven(right.text, others, prose))
      return `The right option, ${right.id}, appears next to the question`;
  }
  const isNamed = !isIdOfFormer(right.id, former) && isCalledRight(right.id, prose);
  return isNamed ? `The right option, ${right.id}, is named next to the question` : null;
};

function isIdOfFormer(id: string, former: FormerQuestion | undefined): boolean {
  if (!former) return false;
  const { key, chosen, question } = former;
  return key ? id === key.answer || id === chosen : question.options.some((option) => option.id === id);
}

const isTextOfFormer = (text: string, former: FormerQuestion | undefined): boolean =>
  former?.question.options.some((option) => wordsOf(option.text).join(" ") === wordsOf(text).join(" ")) ??
  false;
