import { looseFormOfAnswer, normalFormOfAnswer } from "./answer-normal-form.ts";
import { parseMoveName } from "./moves.ts";

/** Clients request the greeting with this message. */
export const startMessage = "Start.";

/**
 * `start` and `answer` (to a multiple-choice question) are on a shared path and carry their normal form; an
 * answer also has a loose form. `free` text and its follow-ups leave the tree for ever. A `move` is an answer
 * named like one; an option of that name takes precedence.
 */
export type MessageKind =
  | { kind: "start"; normalForm: string }
  | { kind: "answer"; normalForm: string; looseForm: string | undefined }
  | { kind: "move"; move: string; normalForm: string; looseForm: string | undefined }
  | { kind: "free" };

export function classifyLearnerMessage(content: string): MessageKind {
  if (content.trim() === startMessage) return { kind: "start", normalForm: startMessage };
  const named = parseMoveName(content);
  if (named) return { kind: "move", move: named, normalForm: named, looseForm: undefined };
  const value = parsedObject(content);
  if (!value || value["type"] === "followup") return { kind: "free" };
  if (!("questionId" in value && "answer" in value)) return { kind: "free" };
  const { questionId, answer } = value;
  const move = parseMoveName(answer);
  return {
    ...(move ? { kind: "move", move } : { kind: "answer" }),
    normalForm: normalFormOfAnswer(questionId, answer),
    looseForm: looseFormOfAnswer(questionId, answer),
  };
}

/** As PostgreSQL can store it. Undefined for messages that are not free text. */
export function freeTextOfMessage(content: string): string | undefined {
  if (classifyLearnerMessage(content).kind !== "free") return undefined;
  const value = parsedObject(content);
  if (!value) return content;
  const { text } = value;
  return typeof text === "string" ? text.replaceAll("\0", "").toWellFormed() : undefined;
}

function parsedObject(content: string): Record<string, unknown> | undefined {
  if (!content.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(content) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
