import type { Question, QuestionKey } from "../../../schema/question.ts";
import type { Check } from "./checked-answer.ts";
import {
  containsWordSequence,
  isOptionCalledRight,
  isOptionGivenAsAnswer,
  negationWords,
  otherOptionTexts,
  wordsAsSpelled,
} from "./naming.ts";
import { findQuotedSecretWords } from "./notes-not-told.ts";
import { normalizedWords, removeQuestionBlocks } from "./words.ts";

/** An option or misconception of this many words cannot occur by chance. */
const tellingWords = 3;

/**
 * The answer must not reveal the previous question's correct option by name, by quoting only it, or by ruling
 * out all others, nor the key's misconceptions.
 */
export const checkKeyNotRevealed: Check = ({ text }, { secrets }) => {
  if (!secrets?.asked) return undefined;
  const { question, key } = secrets.asked;
  const right = question.options.find(({ id }) => id === key.answer);
  if (!right) return undefined;
  const prose = removeQuestionBlocks(text);
  if (isOptionCalledRight(right.id, prose)) return `${right.id} is called right`;
  if (isQuotedAlone(right.text, question, prose)) return `The right option, ${right.id}, is quoted alone`;
  if (areOthersRuledOut(right.id, question, prose)) return `All options but ${right.id} are ruled out`;
  const told = misconceptionIn(key, prose);
  if (told !== undefined) return `The answer reveals what the key says of ${told}`;
  const reason = findQuotedSecretWords([key.because ?? ""], prose, secrets.open);
  return reason === undefined ? null : `The answer reveals why ${right.id} is right: “${reason}”`;
};

/**
 * The text has the correct option's words and no other option's. Short options count only next to "answer".
 */
function isQuotedAlone(option: string, question: Question, prose: string): boolean {
  const others = otherOptionTexts(option, question);
  const [spoken, words] = [normalizedWords(prose), normalizedWords(option)];
  if (words.length < tellingWords) return isOptionGivenAsAnswer(option, others, prose);
  return (
    containsWordSequence(spoken, words) &&
    !others.some((other) => containsWordSequence(spoken, normalizedWords(other)))
  );
}

const wrong = new Set("wrong incorrect false falsch eliminate eliminated exclude excluded out".split(" "));
const joining = new Set("and or nor und oder is are isn aren ist sind".split(" "));

/** All other options, at least two, are called wrong. A negated sentence rules out every option in it. */
function areOthersRuledOut(right: string, { options }: Question, prose: string): boolean {
  const others = options.filter(({ id }) => id !== right).map(({ id }) => id);
  const ruledOut = new Set<string>();
  for (const sentence of prose.split(/[.!?;\n]+/)) {
    const words = wordsAsSpelled(sentence);
    const named = words.filter((word, at) => word !== "A" || !isArticle(words[at + 1]));
    const denies = words.some(
      (word) => wrong.has(word.toLowerCase()) || negationWords.has(word.toLowerCase()),
    );
    if (denies && !named.includes(right)) for (const word of named) ruledOut.add(word);
  }
  return others.length >= 2 && others.every((id) => ruledOut.has(id));
}

/** "A" before this word is an article rather than an option. */
const isArticle = (next: string | undefined): boolean =>
  next !== undefined && /^\p{Ll}/u.test(next) && !joining.has(next);

const misconceptionIn = ({ misconceptions }: QuestionKey, prose: string): string | undefined => {
  const spoken = normalizedWords(prose);
  return misconceptions.find(({ text }) => {
    const words = normalizedWords(text);
    return words.length > tellingWords && containsWordSequence(spoken, words);
  })?.id;
};
