import type { TutorQuestion } from "learning-platform-client";

type Option = TutorQuestion["options"][number];

/**
 * The option that typed words look like: its id, alone or as people write it (`b`, `B)`, `(b).`), or its text. Undefined
 * where none or several do. Whether it is meant is for whoever typed it to say.
 */
export function typedChoice(question: TutorQuestion | null | undefined, typed: string): Option | undefined {
  const words = plain(typed);
  const bare = plain(words.replace(/^[([{"'„“«]+|[)\]}.,:;!"'“”»]+$/gu, ""));
  if (bare === "") return undefined;
  const fitting = (question?.options ?? []).filter(
    ({ id, text }) => plain(id) === bare || plain(text) === words || plain(text) === bare,
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

const plain = (words: string): string => words.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();
