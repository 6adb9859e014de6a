import type { PracticeQuestion } from "../tutoring-texts.ts";

/** What the practice tutor says about one topic of the demonstration. */
export type TopicScript = {
  /** The item's title, or those of items that practise the same. */
  titles: readonly string[];
  intro: string;
  example: string;
  questions: readonly PracticeQuestion[];
  /** An answer to free-form messages. */
  answer: string;
};

type Letter = "A" | "B" | "C";

/** A question: its options in order, the right one, the misconceptions behind the others, and help. */
export const ask = (
  question: string,
  [A, B, C]: readonly [string, string, string],
  right: Letter,
  believed: PracticeQuestion["believed"],
  { skill, hint, because }: { skill: string; hint: string; because: string },
): PracticeQuestion => ({ question, options: { A, B, C }, right, believed, skill, hint, because });
