import type { Check } from "./checked-answer.ts";
import { beforeQuestion, wordsOf } from "./words.ts";

/** An option of this many words cannot occur by chance. */
const tellingWords = 4;

export const saysRight = new Set(
  "answer solution correct right richtig richtige antwort lösung réponse solución respuesta correcta risposta giusta juste antwoord".split(
    " ",
  ),
);

/** Words allowed between "right" or its synonyms and the option's id. */
export const links = new Set(
  "is are would be option answer ist wäre lautet est serait es sería è antwort letter".split(" "),
);

/** The text before a question must not reveal the correct option. */
export const answerNotNamed: Check = ({ text, question, key }) => {
  if (!question || !key) return undefined;
  const before = beforeQuestion(text);
  const right = question.options.find(({ id }) => id === key.answer);
  if (!right) return undefined;
  const [spoken, option] = [` ${wordsOf(before).join(" ")} `, wordsOf(right.text)];
  const isTold = (words: readonly string[]) => words.length > 0 && spoken.includes(` ${words.join(" ")} `);
  const others = question.options.filter(({ id }) => id !== right.id).map((other) => wordsOf(other.text));
  if (option.length >= tellingWords && isTold(option) && !others.some(isTold))
    return `The right option, ${right.id}, appears before the question`;
  return isNamed(right.id, before) ? `The right option, ${right.id}, is named before the question` : null;
};

/** True if a text says "the answer is B" or similar. Matches the id's case, because "a" is also a word. */
export function isNamed(id: string, text: string): boolean {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.some((word, at) => {
    if (!saysRight.has(word.toLowerCase())) return false;
    let next = at + 1;
    while (links.has(words[next]?.toLowerCase() ?? "") && next < at + 4) next += 1;
    return words[next] === id;
  });
}
