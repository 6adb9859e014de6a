import type { Question } from "../../../schema/question.ts";
import { normalizedWords } from "./words.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const saysRight = wordSet(
  "answer solution correct right richtig richtige antwort lösung réponse solución respuesta correcta risposta giusta juste antwoord",
);

/** Words allowed between "right" or its synonyms and the option. */
const links = wordSet(
  "is are was were would be option answer ist war wäre lautet est était serait es era sería è antwort letter the die der das la el il",
);

/** These words turn "B is right" into a question or condition. */
const doubts = wordSet("whether if ob si se");
export const negationWords = wordSet("not isn wasn never nicht kein pas non niet");

const picks = wordSet(
  "choose pick select tick take wähle wählen nimm choisis choisissez elige elija scegli kies",
);

/** As spelled: the id "A" is also a word in lower case. */
export const wordsAsSpelled = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

const sentencesOf = (text: string): string[] => text.split(/[.!?;]+|\n[ \t]*\n/);

/** The text says "the answer is B", "B is right", "choose B" or similar. */
export const isOptionCalledRight = (id: string, text: string): boolean =>
  sentencesOf(text).some(
    (sentence) => isNamed(id, sentence) || isJudgedRight(id, sentence) || isPickedAlone(id, sentence),
  );

function isNamed(id: string, sentence: string): boolean {
  const found = [...sentence.matchAll(/[\p{L}\p{M}\p{N}]+/gu)];
  const words = found.map(([word]) => word);
  return words.some((word, at) => {
    if (!saysRight.has(word.toLowerCase())) return false;
    const next = behindLinks(words, at + 1);
    if (words[next] !== id) return false;
    return !isCommonWord(id) || endsPhrase.test(sentence.slice(Number(found[next]?.index) + id.length));
  });
}

/** "The answer is 2 times 3" and "The answer: A loop ends" name no option. */
const isCommonWord = (id: string): boolean => /^(?:\p{Ll}|\p{N}+|A|I)$/u.test(id);
const endsPhrase =
  /^[*_`"'”’»)\]]{0,4}(?:[,:\n)]|$|\s{1,4}(?:[-–—(]|(?:because|since|and|is|weil|denn|und|ist|car|porque|perché|want)\b))/;

function isJudgedRight(id: string, sentence: string): boolean {
  const words = wordsAsSpelled(sentence);
  return words.some((word, at) => {
    if (word !== id || doubts.has(words[at - 1]?.toLowerCase() ?? "")) return false;
    const next = words.slice(at + 1, at + 5).map((one) => one.toLowerCase());
    const said = next.findIndex((one) => saysRight.has(one));
    return said > 0 && links.has(next[0] ?? "") && !next.slice(0, said).some((one) => negationWords.has(one));
  });
}

/** "Choose B" names it; "choose A or B" and "choose a number" do not. */
function isPickedAlone(id: string, sentence: string): boolean {
  if (!/^\p{Lu}\p{N}?$/u.test(id)) return false;
  const words = wordsAsSpelled(sentence);
  const at = words.findIndex((word) => picks.has(word.toLowerCase()));
  if (at < 0 || words[behindLinks(words, at + 1)] !== id) return false;
  return words.slice(at).every((word) => word === id || !/^\p{Lu}$/u.test(word));
}

/** "The answer is" is followed by an option's words, and no other option occurs. */
export function isOptionGivenAsAnswer(option: string, others: readonly string[], text: string): boolean {
  const words = normalizedWords(option);
  const all = normalizedWords(text);
  if (words.length === 0 || others.some((other) => containsWordSequence(all, normalizedWords(other))))
    return false;
  return sentencesOf(text).some((sentence) => {
    const spoken = normalizedWords(sentence);
    return spoken.some((word, at) => {
      if (!saysRight.has(word)) return false;
      const next = behindLinks(spoken, at + 1);
      return next > at + 1 && words.every((one, nth) => spoken[next + nth] === one);
    });
  });
}

export const containsWordSequence = (spoken: readonly string[], words: readonly string[]): boolean =>
  words.length > 0 && ` ${spoken.join(" ")} `.includes(` ${words.join(" ")} `);

/** Without equal ones. */
export function otherOptionTexts(option: string, { options }: Question): string[] {
  const form = normalizedWords(option).join(" ");
  return options.map(({ text }) => text).filter((text) => normalizedWords(text).join(" ") !== form);
}

function behindLinks(words: readonly string[], from: number): number {
  let next = from;
  while (links.has(words[next]?.toLowerCase() ?? "") && next < from + 3) next += 1;
  return next;
}
