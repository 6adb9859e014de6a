import type { Question } from "../../../schema/question.ts";
import type { Check, FormerQuestion } from "./checked-answer.ts";
import {
  containsWordSequence,
  isOptionCalledRight,
  isOptionGivenAsAnswer,
  otherOptionTexts,
} from "./naming.ts";
import { normalizedWords, removeQuestionBlocks } from "./words.ts";

/** An option of this many words cannot occur by chance. */
const tellingWords = 4;

/** The text around a question must not reveal the correct option. */
export const checkAnswerNotNamed: Check = ({ text, question, key }, { former }) => {
  if (!question) return undefined;
  const prose = removeQuestionBlocks(text);
  const right = question.options.find(({ id }) => id === key?.answer);
  if (!right) return key ? undefined : checkNoneCalledRight(question.options, prose, former);
  const others = otherOptionTexts(right.text, question);
  if (!isTextOfFormer(right.text, former)) {
    const spoken = normalizedWords(prose);
    const isQuoted =
      normalizedWords(right.text).length >= tellingWords &&
      containsWordSequence(spoken, normalizedWords(right.text)) &&
      !others.some((other) => containsWordSequence(spoken, normalizedWords(other)));
    if (isQuoted || isOptionGivenAsAnswer(right.text, others, prose))
      return `The right option, ${right.id}, appears next to the question`;
  }
  const isNamed = !isIdOfFormer(right.id, former) && isOptionCalledRight(right.id, prose);
  return isNamed ? `The right option, ${right.id}, is named next to the question` : null;
};

/** Without a key, an option that the text calls right is what the model believes. */
function checkNoneCalledRight(
  options: Question["options"],
  prose: string,
  former: FormerQuestion | undefined,
): string | undefined {
  const named = options.find(({ id }) => !isIdOfFormer(id, former) && isOptionCalledRight(id, prose));
  return named ? `The option ${named.id} is called right next to the question` : undefined;
}

function isIdOfFormer(id: string, former: FormerQuestion | undefined): boolean {
  if (!former) return false;
  const { key, chosen, question } = former;
  return key ? id === key.answer || id === chosen : question.options.some((option) => option.id === id);
}

const isTextOfFormer = (text: string, former: FormerQuestion | undefined): boolean =>
  former?.question.options.some(
    (option) => normalizedWords(option.text).join(" ") === normalizedWords(text).join(" "),
  ) ?? false;
