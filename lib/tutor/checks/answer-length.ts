import { isBlank } from "../../platform/text/is-blank.ts";
import { normalizedWords, removeCode, removeQuestionBlocks } from "./words.ts";

/** In characters of the prose. The prompt asks for a few short paragraphs. */
const maxAnswerProseCharacters = 12_000;
const timesAsLong = 3;

const minWordsOfRepeatedSentence = 4;
const maxSentenceRepetitions = 8;

/** A shared answer must not be far longer than those before it, nor repeat a sentence endlessly. */
export function checkSharedAnswerLength(text: string, before: readonly string[]): string | null {
  if (isBlank(text)) return "The answer is empty";
  const prose = removeQuestionBlocks(text);
  const most = Math.max(maxAnswerProseCharacters, ...before.map((answer) => timesAsLong * answer.length));
  if (prose.length > most) return `The answer has ${prose.length} characters, over ${most}`;
  const counts = new Map<string, number>();
  for (const sentence of removeCode(prose).split(/[.!?。！？\n]+/)) {
    const words = normalizedWords(sentence);
    if (words.length < minWordsOfRepeatedSentence) continue;
    const form = words.join(" ");
    const count = (counts.get(form) ?? 0) + 1;
    if (count > maxSentenceRepetitions) return `The answer repeats “${form.slice(0, 80)}”`;
    counts.set(form, count);
  }
  return null;
}
