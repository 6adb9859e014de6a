import type { CandidateAnswer } from "../ask.ts";

/** What an answer is checked against. */
export type CheckContext = {
  /** The course's language, as ISO 639-1. */
  language: string;
  /** The version's resolved text, before its placeholders are filled. */
  template: string;
  /** What the teachers wrote that the tutor never says. */
  neverSay: readonly string[];
  /** The recorded answer, as the class was told it. */
  recorded: string;
};

/** Null where the answer passes, what is wrong with it where it does not; undefined where there is nothing to look at. */
export type Check = (answer: CandidateAnswer, context: CheckContext) => string | null | undefined;
