import { moveNamed } from "./moves.ts";
import { looseAnswer, spokenAnswer } from "./spoken-answer.ts";

/** What the learner's client sends to be greeted. */
export const startMessage = "Start.";

/**
 * What a message is to the tree of shared answers. `start` and `answer` (of a multiple-choice question) lie on a
 * path that others take too, and carry their normal form; `free` text and follow-ups leave the tree for ever. An answer
 * also has the form in which it is compared where it fits no option as it is. A `move` is an answer that is called like
 * one, by itself or in place of an option: an option of that name goes before it.
 */
export type MessageKind =
  | { kind: "start"; normalForm: string }
  | { kind: "answer"; normalForm: string; looseForm: string | undefined }
  | { kind: "move"; move: string; normalForm: string; looseForm: string | undefined }
  | { kind: "free" };

/** Tells the kind of a message from its text. */
export function kindOf(content: string): MessageKind {
  if (content.trim() === startMessage) return { kind: "start", normalForm: startMessage };
  const named = moveNamed(content);
  if (named) return { kind: "move", move: named, normalForm: named, looseForm: undefined };
  const value = parsedObject(content);
  if (!value || value["type"] === "followup") return { kind: "free" };
  if (!("questionId" in value && "answer" in value)) return { kind: "free" };
  const { questionId, answer } = value;
  const move = moveNamed(answer);
  return {
    ...(move ? { kind: "move", move } : { kind: "answer" }),
    normalForm: spokenAnswer(questionId, answer),
    looseForm: looseAnswer(questionId, answer),
  };
}

/** The words of a message that is on no path, such as a question back; undefined for any other. */
export function ownWords(content: string): string | undefined {
  if (kindOf(content).kind !== "free") return undefined;
  const value = parsedObject(content);
  if (!value) return content;
  return typeof value["text"] === "string" ? value["text"] : undefined;
}

function parsedObject(content: string): Record<string, unknown> | undefined {
  if (!content.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(content) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
