import type { Schemas, TutorQuestion } from "learning-platform-client";

type Message = Pick<Schemas["ChatMessage"], "role" | "content" | "question" | "meta">;

/** What a learner said: the greeting's start, a choice that the tutor offered, a move in place of one, or words of their own. */
export type Said =
  | { kind: "start"; content: string }
  | { kind: "choice"; content: string; label: string }
  | { kind: "move"; content: string; move: string }
  | { kind: "words"; content: string };

/** A step of a conversation; `isOnPath` as long as the class shares what is answered. */
export type Step = Said & { isOnPath: boolean };

export const startMessage = "Start.";

/**
 * What a message says, seen from the question before it. A choice is a step of the tree only where it was offered; one of a
 * question before that, as another tab may still show, is as good as that option's words.
 */
export function saidIn(
  content: string,
  asked: TutorQuestion | null | undefined,
  earlier: readonly Pick<Message, "question">[] = [],
): Said {
  if (content.trim() === startMessage) return { kind: "start", content };
  if (asked && isMove(content.trim())) return { kind: "move", content, move: content.trim() };
  const own = parsedWords(content);
  if (own !== undefined) return { kind: "words", content: own };
  const choice = parsedChoice(content);
  if (!choice) return { kind: "words", content };
  const option = asked?.questionId === choice.questionId ? optionOf(asked, choice.answer) : undefined;
  if (option) return { kind: "choice", content, label: option.text };
  if (asked?.questionId === choice.questionId && isMove(choice.answer))
    return { kind: "move", content, move: choice.answer };
  const before = earlier.findLast(({ question }) => question?.questionId === choice.questionId)?.question;
  return { kind: "words", content: (before && optionOf(before, choice.answer)?.text) ?? choice.answer };
}

const optionOf = ({ options }: TutorQuestion, answer: string) =>
  options.find(({ id, text }) => id === answer || text === answer);

/** Whether a name is that of a move, as the service spells them. */
export const isMove = (text: string): boolean => /^@[a-z]+(_[a-z]+)*$/.test(text);

/** How a session stands: whether its course shares answers at all, and whether it has left what is shared. */
export type Sharing = Partial<Pick<Schemas["ChatSession"], "cache_enabled" | "cache_state">>;

/**
 * The path through the topic: words of one's own leave what the class shares for good, in a session that has `DIVERGED`.
 * An answer that was cut off is kept on no path, so that what follows it has left until a new start. Where the course
 * shares nothing, nothing is shared.
 */
export function stepsOf(
  messages: readonly Message[],
  { cache_enabled = true, cache_state = "TRACKING" }: Sharing = {},
): Step[] {
  const steps: Step[] = [];
  let asked: TutorQuestion | null = null;
  let isOnPath = false;
  let hasLeft = !cache_enabled;
  for (const [at, { role, content, question, meta }] of messages.entries()) {
    if (role === "assistant") {
      asked = question;
      if (meta.stop || meta.path) isOnPath = false;
      continue;
    }
    const said = saidIn(content, asked, messages.slice(0, at));
    if (said.kind === "words" && cache_state === "DIVERGED") hasLeft = true;
    isOnPath = !hasLeft && (said.kind === "start" || (isOnPath && said.kind !== "words"));
    steps.push({ ...said, isOnPath });
  }
  return steps;
}

/** What has to be said to come the same way: everything since the last start of it, up to where the path was left. */
export function sharedPath(messages: readonly Message[], sharing?: Sharing): string[] {
  const steps = stepsOf(messages, sharing);
  const since = steps.findLastIndex(({ kind, isOnPath }) => kind === "start" && isOnPath);
  const path = since < 0 ? [] : steps.slice(since);
  const left = path.findIndex(({ isOnPath }) => !isOnPath);
  return (left < 0 ? path : path.slice(0, left)).map(({ content }) => content);
}

/** An answer's words without the block that holds its question, of which the beginning may have been told so far. */
export const wordsOf = (answer: string): string =>
  answer.replace(/(?<!\n)\n*```mcq[\s\S]*?(```\s*|$)/g, "\n\n").trim();

/** The question that an answer's own block asks, where it stands without the message's; null where it asks nothing. */
export function questionIn(answer: string): TutorQuestion | null {
  try {
    const question = Object(JSON.parse(/```mcq\s([\s\S]*?)```/.exec(answer)?.[1] ?? "null"));
    return typeof question.question === "string" && Array.isArray(question.options) ? question : null;
  } catch {
    return null;
  }
}

/** Words as the service takes them for a learner's own, whatever they are: what is called like a move would be none of that question else. */
export const asOwnWords = (text: string): string =>
  isMove(text.normalize("NFKC").toLowerCase()) ? JSON.stringify({ type: "followup", text }) : text;

function parsedWords(content: string): string | undefined {
  try {
    const { type, text } = Object(JSON.parse(content));
    return type === "followup" && typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function parsedChoice(content: string): { questionId: string; answer: string } | undefined {
  try {
    const { questionId, answer, type } = Object(JSON.parse(content));
    if (typeof questionId !== "string" || typeof answer !== "string" || type === "followup") return undefined;
    return { questionId: questionId.trim(), answer: answer.trim() };
  } catch {
    return undefined;
  }
}
