import type { TutorQuestion } from "learning-platform-client";

type Option = TutorQuestion["options"][number];

/**
 * The option that typed text resembles: its id (`b`, `B)`, `(b).`) or its text. Undefined if none or several
 * match. The learner confirms.
 */
export function matchTypedOption(
  question: TutorQuestion | null | undefined,
  typed: string,
): Option | undefined {
  const words = plain(typed);
  const bare = plain(withoutMarks(words));
  if (bare === "") return undefined;
  const fitting = (question?.options ?? []).filter(
    ({ id, text }) => plain(id) === bare || plain(text) === words || plain(text) === bare,
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

const opening = new Set("([{\"'„“«");
const closing = new Set(")]}.,:;!\"'“”»");

/** Trims from both ends in linear time. A regular expression anchored at the end would be quadratic. */
function withoutMarks(words: string): string {
  let [begin, end] = [0, words.length];
  while (begin < end && opening.has(words.charAt(begin))) begin++;
  while (end > begin && closing.has(words.charAt(end - 1))) end--;
  return words.slice(begin, end);
}

/** Phones type curly quotes and dashes where the option has straight ones. */
const plain = (words: string): string =>
  words
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[‘’`]/gu, "'")
    .replace(/[“”„«»]/gu, '"')
    .replace(/\p{Dash}/gu, "-")
    .replace(/\s+/gu, " ")
    .trim();
