import type { Check } from "./checked-answer.ts";
import { normalizedWords, removeQuestionBlocks, wordNgrams } from "./words.ts";

/** Notes below eight words count if quoted completely. Shorter ones than this are common phrases. */
const minWordsOfSecretNote = 4;

/** The answer must quote no tutor-only notes that are not in the material too. */
export const checkNotesNotQuoted: Check = ({ text }, { secrets }) => {
  if (!secrets || secrets.notes.length === 0) return undefined;
  const told = findQuotedSecretWords(secrets.notes, removeQuestionBlocks(text), secrets.open);
  return told === undefined ? null : `The answer reveals the teachers' notes: “${told}”`;
};

export function findQuotedSecretWords(
  secret: readonly string[],
  text: string,
  open: string,
): string | undefined {
  const known = new Set(wordNgrams(open));
  const said = new Set(wordNgrams(text));
  const spoken = ` ${normalizedWords(text).join(" ")} `;
  const openly = ` ${normalizedWords(open).join(" ")} `;
  for (const one of secret) {
    const run = wordNgrams(one).find((words) => said.has(words) && !known.has(words));
    if (run !== undefined) return run;
    const words = normalizedWords(one);
    const whole = ` ${words.join(" ")} `;
    if (
      words.length >= minWordsOfSecretNote &&
      words.length < 8 &&
      spoken.includes(whole) &&
      !openly.includes(whole)
    )
      return whole.trim();
  }
  return undefined;
}
