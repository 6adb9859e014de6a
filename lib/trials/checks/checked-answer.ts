import type { Question, QuestionKey } from "../../../schema/question.ts";
import type { TutorContext } from "../../chat/tutor-context.ts";
import type { CandidateAnswer } from "../ask.ts";

/** What the tutor knows and a learner is not told, where a trial looks for that. */
export type Secrets = {
  /** The question that the learner has not answered, with its key. */
  asked: { question: Question; key: QuestionKey } | undefined;
  /** What the teachers wrote for the tutor alone. */
  notes: readonly string[];
  pool: NonNullable<TutorContext["pool"]>;
  /** What the learner may read anyway: the material, and what was said before. */
  open: string;
};

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
  secrets?: Secrets;
};

/** Null where the answer passes, what is wrong with it where it does not; undefined where there is nothing to look at. */
export type Check = (answer: CandidateAnswer, context: CheckContext) => string | null | undefined;
