import type { Schemas, TutorQuestion } from "learning-platform-client";

type Message = Pick<Schemas["ChatMessage"], "role" | "content" | "question" | "meta">;

/** A learner's message: the start, a choice, a move, or free text. */
export type ParsedLearnerMessage =
  | { kind: "start"; content: string }
  | { kind: "choice"; content: string; label: string }
  | { kind: "move"; content: string; move: string }
  | { kind: "words"; content: string };

/** A step of a conversation. `isOnPath` is true while its answers are shared with the class. */
export type DialogueStep = ParsedLearnerMessage & { isOnPath: boolean };

export const openingLearnerMessage = "Start.";

/**
 * Classifies a message by the question before it. A choice counts only for that question; from an outdated
 * tab it is free text.
 */
export function parseLearnerMessage(
  content: string,
  asked: TutorQuestion | null | undefined,
  earlier: readonly Pick<Message, "question">[] = [],
): ParsedLearnerMessage {
  if (content.trim() === openingLearnerMessage) return { kind: "start", content };
  if (asked && isSpelledLikeMove(content.trim())) return { kind: "move", content, move: content.trim() };
  const own = parsedWords(content);
  if (own !== undefined) return { kind: "words", content: own };
  const choice = parsedChoice(content);
  if (!choice) return { kind: "words", content };
  const option = asked?.questionId === choice.questionId ? optionOf(asked, choice.answer) : undefined;
  if (option) return { kind: "choice", content, label: option.text };
  if (asked?.questionId === choice.questionId && isSpelledLikeMove(choice.answer))
    return { kind: "move", content, move: choice.answer };
  const before = earlier.findLast(({ question }) => question?.questionId === choice.questionId)?.question;
  return { kind: "words", content: (before && optionOf(before, choice.answer)?.text) ?? choice.answer };
}

const optionOf = ({ options }: TutorQuestion, answer: string) =>
  options.find(({ id, text }) => id === answer || text === answer);

/** Whether a text is spelled like a move. */
export const isSpelledLikeMove = (text: string): boolean => /^@[a-z]+(_[a-z]+)*$/.test(text);

/** Whether the course shares answers, and whether the session still uses shared ones. */
export type AnswerSharingState = Partial<Pick<Schemas["ChatSession"], "cache_enabled" | "cache_state">>;

/**
 * The path of a conversation. In a session that has `DIVERGED`, free text leaves the shared path permanently.
 * A stopped answer leaves it until the next start. Without sharing no step is shared.
 */
export function buildDialogueSteps(
  messages: readonly Message[],
  { cache_enabled = true, cache_state = "TRACKING" }: AnswerSharingState = {},
): DialogueStep[] {
  const steps: DialogueStep[] = [];
  let asked: TutorQuestion | null = null;
  let isOnPath = false;
  let hasLeft = !cache_enabled;
  for (const [at, { role, content, question, meta }] of messages.entries()) {
    if (role === "assistant") {
      asked = question;
      if (meta.stop || meta.path) isOnPath = false;
      continue;
    }
    const said = parseLearnerMessage(content, asked, messages.slice(0, at));
    if (said.kind === "words" && cache_state === "DIVERGED") hasLeft = true;
    isOnPath = !hasLeft && (said.kind === "start" || (isOnPath && said.kind !== "words"));
    steps.push({ ...said, isOnPath });
  }
  return steps;
}

/** The messages that replay the shared path: from the last start until it was left. */
export function sharedPathMessages(messages: readonly Message[], sharing?: AnswerSharingState): string[] {
  const steps = buildDialogueSteps(messages, sharing);
  const since = steps.findLastIndex(({ kind, isOnPath }) => kind === "start" && isOnPath);
  const path = since < 0 ? [] : steps.slice(since);
  const left = path.findIndex(({ isOnPath }) => !isOnPath);
  return (left < 0 ? path : path.slice(0, left)).map(({ content }) => content);
}

/** An answer's text without its question block, which may be incomplete while streaming. */
export const answerWithoutQuestionBlock = (answer: string): string =>
  answer.replace(/(?<!\n)\n*```mcq[\s\S]*?(```\s*|$)/g, "\n\n").trim();

/** The question in an answer's own block, or null. */
export function parseQuestionBlock(answer: string): TutorQuestion | null {
  try {
    const question = Object(JSON.parse(/```mcq\s([\s\S]*?)```/.exec(answer)?.[1] ?? "null"));
    return typeof question.question === "string" && Array.isArray(question.options) ? question : null;
  } catch {
    return null;
  }
}

/** Wraps free text that is spelled like a move, so the service does not read it as one. */
export const escapeMoveLikeText = (text: string): string =>
  isSpelledLikeMove(text.normalize("NFKC").toLowerCase()) ? JSON.stringify({ type: "followup", text }) : text;

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
