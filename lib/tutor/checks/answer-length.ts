import { isBlank } from "../../../schema/api/platform/is-blank.ts";
import { normalizedWords, removeCode, removeQuestionBlocks } from "./words.ts";

/** In characters of the prose. The prompt asks for a few short paragraphs. */
const maxAnswerProseCharacters = 12_000;
const timesAsLong = 3;

const minWordsOfRepeatedSentence = 4;
const maxSentenceRepetitions = 8;

/** A shared answer must not be far longer than those before it, nor repeat a sentence endlessly. */
export function checkSharedLengthAndRepetition(text: string, before: readonly string[]): string | null {
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
  const loop = repeatedSigns(removeCode(prose).replaceAll(/^[ \t]*\|.*$/gm, " "));
  return loop === undefined ? null : `The answer repeats “${loop}”`;
}

const maxPeriod = 64;
const minLoopSigns = 200;
const minLoopRepetitions = 8;

/** Letters and digits that repeat without an end of a sentence, as models do in a loop. A list that counts is none. */
function repeatedSigns(text: string): string | undefined {
  const signs = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join("");
  for (let period = 1; period <= maxPeriod; period += 1) {
    const least = Math.max(minLoopSigns, minLoopRepetitions * period) - period;
    let run = 0;
    for (let at = period; at < signs.length; at += 1) {
      run = signs[at] === signs[at - period] ? run + 1 : 0;
      if (run >= least) return signs.slice(at - period, at);
    }
  }
  return undefined;
}
