import type { TutorQuestion } from "learning-platform-client";

type Option = TutorQuestion["options"][number];

/**
 * The option that typed words look like: its id, alone or as people write it (`b`, `B)`, `(b).`), or its text. Undefined
 * where none or several do. Whether it is meant is for whoever typed it to say.
 */
export function typedChoice(question: TutorQuestion | null | undefined, typed: string): Option | undefined {
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

/** One look at each character from both ends: a pattern that looks for an end begins anew at each mark. */
function withoutMarks(words: string): string {
  let [begin, end] = [0, words.length];
  while (begin < end && opening.has(words.charAt(begin))) begin++;
  while (end > begin && closing.has(words.charAt(end - 1))) end--;
  return words.slice(begin, end);
}

const plain = (words: string): string => words.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();
