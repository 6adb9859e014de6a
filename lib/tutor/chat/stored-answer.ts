import type { AnswerMeta, ChatMessage } from "../../../schema/api/tutor/chat.ts";
import type { Question } from "../../../schema/question.ts";

/** The tree had it, or the message was answered before. It is in the session. */
export type StoredAnswer = {
  id: number;
  created_at: string;
  meta: AnswerMeta;
  chunks: readonly string[];
  /** If its citations were looked up. */
  sources?: ChatMessage["sources"];
  has_key: boolean;
  /** The question that a move's answer carries. */
  carried: Question | null;
};
