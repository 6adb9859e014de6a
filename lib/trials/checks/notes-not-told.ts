import type { Check } from "./checked-answer.ts";
import { proseOf, runsOf, wordsOf } from "./words.ts";

/** A note that is shorter than eight words is told when all of it is, unless anyone might say so. */
const fewestWords = 4;

/** Whether it quotes nothing of what the teachers wrote for the tutor alone, where that is not in the material anyway. */
export const notesNotTold: Check = ({ text }, { secrets }) => {
  if (!secrets || secrets.notes.length === 0) return undefined;
  const told = quotedOf(secrets.notes, proseOf(text), secrets.open);
  return told === undefined ? null : `The answer tells the teachers' notes: “${told}”`;
};

/** The first words of secret texts that a text quotes and that are not said openly. */
export function quotedOf(secret: readonly string[], text: string, open: string): string | undefined {
  const known = new Set(runsOf(open));
  const said = new Set(runsOf(text));
  const spoken = ` ${wordsOf(text).join(" ")} `;
  const openly = ` ${wordsOf(open).join(" ")} `;
  for (const one of secret) {
    const run = runsOf(one).find((words) => said.has(words) && !known.has(words));
    if (run !== undefined) return run;
    const words = wordsOf(one);
    const whole = ` ${words.join(" ")} `;
    if (words.length >= fewestWords && words.length < 8 && spoken.includes(whole) && !openly.includes(whole))
      return whole.trim();
  }
  return undefined;
}
