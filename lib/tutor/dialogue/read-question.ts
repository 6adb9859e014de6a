import type { Question } from "../../../schema/question.ts";
import { maxRepairedBlockCharacters, parseLenientJson } from "./lenient-json.ts";
import { parseQuestionShape } from "./question-shape.ts";
import { unwrapCallArguments } from "./secret-shapes.ts";

/** A question with its end in the block, a malformed one, or none. */
export type BlockReading = { question: Question; end: number } | "malformed" | "none";

/** `mcq` is always a question; `json` or no language if it has a question's field names. */
export function readQuestionBlock(info: string, content: string): BlockReading {
  const isMcq = info === "mcq";
  const read = isMcq || isMeant(content) ? parseLenientJson(content) : undefined;
  const question = read && parseQuestionShape(unwrapCallArguments(read.value), isMcq);
  if (read && question) return { question, end: read.end };
  const isLost = isMcq || (isMeant(content) && (!read || /\bquestion[ _-]?id\b/i.test(content)));
  return isLost ? "malformed" : "none";
}

function isMeant(content: string): boolean {
  const beginning = content.slice(0, maxRepairedBlockCharacters);
  return /[{[]/.test(beginning) && /\bquestion/i.test(beginning) && /\b(options|choices)\b/i.test(beginning);
}

/** The service's own format; `findLastQuestion` reads it back. */
export const formatQuestionBlock = ({ questionId, question, options }: Question): string =>
  `\`\`\`mcq\n${JSON.stringify({ questionId, question, options })}\n\`\`\``;
