import type { AnswerKey } from "../../../schema/db/assessment/questions.ts";
import type { FailedCheck } from "../../../schema/db/tutor/cache.ts";
import type { AnswerStop } from "../../../schema/enums.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";

/** As a learner receives it, plus the model's raw question and key. */
export type CandidateAnswer = {
  text: string;
  question?: Question | undefined;
  key?: QuestionKey | undefined;
  writtenKeys: readonly string[];
  stop: AnswerStop | null;
};

export type KeyedQuestion = {
  kind: string;
  question: string;
  options?: readonly { id: string; text: string }[];
  answer?: AnswerKey;
  explanation?: string;
};

export type AnswerSecrets = {
  /** The unanswered question with its key. */
  asked: { question: Question; key: QuestionKey } | undefined;
  notes: readonly string[];
  pool: readonly KeyedQuestion[];
  /** Public text: the material and earlier messages. */
  open: string;
};

/** The question just answered. Text before the next question may discuss its options. */
export type FormerQuestion = { question: Question; key: QuestionKey | undefined; chosen: string | undefined };

export type CheckContext = {
  /** ISO 639-1. */
  language: string;
  /** The version's text, before its placeholders are filled. */
  template: string;
  /** Phrases that teachers forbid. */
  neverSay: readonly string[];
  recorded: string;
  former?: FormerQuestion | undefined;
  secrets?: AnswerSecrets;
};

/** Null if passed, a message if failed, undefined if not applicable. */
export type Check = (answer: CandidateAnswer, context: CheckContext) => string | null | undefined;

/** None makes a call. */
export type AnswerChecker = {
  /** For a shared answer. */
  failuresOf(answer: CandidateAnswer): FailedCheck[];
  /** Replaces sentences that quote the prompt, the notes or a forbidden phrase. */
  withoutQuotes(text: string): { text: string; failed: FailedCheck[] };
};
