import { unopenedReasoningEndMarks } from "../../platform/llm/reasoning-marks.ts";
import type { CandidateAnswer } from "./checked-answer.ts";
import { answerRefusalPatterns, errorTextPatterns, helpRefusalPatterns } from "./refusal-phrases.ts";
import { removeCode, removeQuestionBlocks } from "./words.ts";

/** In characters: a refusal comes first, and is short. */
const beginning = 400;
const shortProse = 300;
const shortRefusal = 200;

const endOfReasoning = new RegExp(
  unopenedReasoningEndMarks.map((end) => end.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"),
  "i",
);

/**
 * The answer must not be a refusal, a server's error as text, or reasoning that a model began without a mark.
 * Teaching that mentions one passes.
 */
export function checkAnswerNotRefusalOrError(
  { text, question }: CandidateAnswer,
  isGreeting: boolean,
): string | null {
  const prose = removeQuestionBlocks(text).trim();
  const head = prose.slice(0, beginning).toLowerCase().replaceAll("’", "'");
  const said = withoutQuotations(head);
  const isIn = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(said));
  const isShort = prose.length <= shortProse;
  if ((!question || isShort) && isIn(helpRefusalPatterns)) return "The answer is a refusal";
  if (!question && (isGreeting || prose.length <= shortRefusal) && isIn(answerRefusalPatterns))
    return "The answer is a refusal";
  const isPage = /^\s*<(?:!doctype|html|\?xml)/.test(head);
  if (!question && (isShort || isPage) && errorTextPatterns.some((pattern) => pattern.test(head)))
    return "The answer is an error message";
  if (endOfReasoning.test(removeCode(prose))) return "The answer begins with the model's reasoning";
  return null;
}

/** A lesson may quote a refusal. */
const withoutQuotations = (text: string): string =>
  text.replaceAll(/(?<!\p{L})["“„«][^"“”„«»\n]{1,200}["”“»]/gu, " ");
