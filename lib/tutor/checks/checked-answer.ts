import type { AnswerKey } from "../../../schema/db/assessment/questions.ts";
import type { FailedCheck } from "../../../schema/db/tutor/cache.ts";
import type { AnswerStop } from "../../../schema/enums.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";

/** As a learner would receive it, plus the model's raw question and key. */
export type CandidateAnswer = {
  text: string;
  question?: Question | undefined;
  key?: QuestionKey | undefined;
  writtenKeys: readonly string[];
  stop: AnswerStop | null;
};

/** A question of a known quiz, as far as the checks read it. */
export type KeyedQuestion = {
  kind: string;
  question: string;
  options?: readonly { id: string; text: string }[];
  answer?: AnswerKey;
  explanation?: string;
};

/** Information that only the tutor has. */
export type Secrets = {
  /** The question that the learner has not answered, with its key. */
  asked: { question: Question; key: QuestionKey } | undefined;
  notes: readonly string[];
  pool: readonly KeyedQuestion[];
  /** Public text: the material and earlier messages. */
  open: string;
};

/** The question that the learner has just answered. Text before the next question may discuss its options. */
export type FormerQuestion = { question: Question; key: QuestionKey | undefined; chosen: string | undefined };

export type CheckContext = {
  /** ISO 639-1. */
  language: string;
  /** The version's text, before its placeholders are filled. */
  template: string;
  /** Phrases that teachers forbid the tutor to say. */
  neverSay: readonly string[];
  recorded: string;
  former?: FormerQuestion | undefined;
  secrets?: Secrets;
};

/** Null if passed, a message if failed, undefined if not applicable. */
export type Check = (answer: CandidateAnswer, context: CheckContext) => string | null | undefined;

/** The checks of an answer before it is stored. None makes a call. */
export type AnswerChecker = {
  /** For an answer that a class would share. */
  failuresOf(answer: CandidateAnswer): FailedCheck[];
  /** Replaces the sentences that quote the prompt, the notes or a forbidden phrase. */
  withoutQuotes(text: string): { text: string; failed: FailedCheck[] };
};
