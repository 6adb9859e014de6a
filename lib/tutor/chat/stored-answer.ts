import type { AnswerMeta, ChatMessage } from "../../../schema/api/tutor/chat.ts";
import type { Question } from "../../../schema/question.ts";

/** A stored answer: the tree had it, or the message was answered before. It is in the session. */
export type StoredAnswer = {
  id: number;
  created_at: string;
  meta: AnswerMeta;
  chunks: readonly string[];
  /** If its citations were looked up. */
  sources?: ChatMessage["sources"];
  has_key: boolean;
  /** For an answer to a move: the question that it carries. */
  carried: Question | null;
};
