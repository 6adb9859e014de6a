import type { Schemas, TutorQuestion } from "learning-platform-client";

type Message = Pick<Schemas["ChatMessage"], "role" | "content" | "question" | "meta">;

/** What a learner said: the greeting's start, a choice that the tutor offered, or words of their own. */
export type Said =
  | { kind: "start"; content: string }
  | { kind: "choice"; content: string; label: string }
  | { kind: "words"; content: string };

/** A step of a conversation; `isOnPath` as long as the class shares what is answered. */
export type Step = Said & { isOnPath: boolean };

export const startMessage = "Start.";

/** What a message says, seen from the question before it. A choice is a step of the tree only where it was offered. */
export function saidIn(content: string, asked: TutorQuestion | null | undefined): Said {
  if (content.trim() === startMessage) return { kind: "start", content };
  const choice = parsedChoice(content);
  if (!choice || asked?.questionId !== choice.questionId) return { kind: "words", content };
  const option = asked.options.find(({ id, text }) => id === choice.answer || text === choice.answer);
  return option ? { kind: "choice", content, label: option.text } : { kind: "words", content };
}

/**
 * The path through the topic: free words leave what the class shares, and only a new start leads back. An answer that
 * was cut off is kept on no path, so that what follows it has left too.
 */
export function stepsOf(messages: readonly Message[]): Step[] {
  const steps: Step[] = [];
  let asked: TutorQuestion | null = null;
  let isOnPath = false;
  for (const { role, content, question, meta } of messages) {
    if (role === "assistant") {
      asked = question;
      if (meta.stop) isOnPath = false;
      continue;
    }
    const said = saidIn(content, asked);
    isOnPath = said.kind === "start" || (isOnPath && said.kind === "choice");
    steps.push({ ...said, isOnPath });
  }
  return steps;
}

/** What a classmate has to say to come the same way: everything since the last start, up to where the path was left. */
export function sharedPath(messages: readonly Message[]): string[] {
  const steps = stepsOf(messages);
  const since = steps.findLastIndex(({ kind }) => kind === "start");
  const path = since < 0 ? [] : steps.slice(since);
  const left = path.findIndex(({ isOnPath }) => !isOnPath);
  return (left < 0 ? path : path.slice(0, left)).map(({ content }) => content);
}

/** An answer's words without the block that holds its question, of which the beginning may have been told so far. */
export const wordsOf = (answer: string): string =>
  answer.replace(/(?<!\n)\n*```mcq[\s\S]*?(```\s*|$)/g, "\n\n").trim();

function parsedChoice(content: string): { questionId: string; answer: string } | undefined {
  try {
    const { questionId, answer, type } = Object(JSON.parse(content));
    if (typeof questionId !== "string" || typeof answer !== "string" || type === "followup") return undefined;
    return { questionId: questionId.trim(), answer: answer.trim() };
  } catch {
    return undefined;
  }
}
