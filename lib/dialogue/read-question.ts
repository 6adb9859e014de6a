import type { Question } from "../../schema/question.ts";
import { lenientJson, longestBlock } from "./lenient-json.ts";
import { questionOf } from "./question-shape.ts";

/** What a held block is: a question, and where it ends in the block; what was meant as one; or none. */
export type BlockReading = { question: Question; end: number } | "malformed" | "none";

/**
 * Reads a block as models write it. A block of `mcq` is meant as a question, one of `json` or of no language where it
 * names what a question has.
 */
export function readQuestion(info: string, content: string): BlockReading {
  const isMcq = info === "mcq";
  const read = isMcq || isMeant(content) ? lenientJson(content) : undefined;
  const question = read && questionOf(read.value, isMcq);
  if (read && question) return { question, end: read.end };
  const isLost = isMcq || (isMeant(content) && (!read || /\bquestion[ _-]?id\b/i.test(content)));
  return isLost ? "malformed" : "none";
}

/** Whether a block has the names of a question's fields. */
function isMeant(content: string): boolean {
  const beginning = content.slice(0, longestBlock);
  return /[{[]/.test(beginning) && /\bquestion/i.test(beginning) && /\b(options|choices)\b/i.test(beginning);
}

/** A question as the service writes it into an answer; `questionIn` reads it back. */
export const questionBlock = ({ questionId, question, options }: Question): string =>
  `\`\`\`mcq\n${JSON.stringify({ questionId, question, options })}\n\`\`\``;
