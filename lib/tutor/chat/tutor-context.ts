import { type SQL, sql } from "drizzle-orm";
import type { AnswerKey } from "../../../schema/db/assessment/questions.ts";
import { quotePromptDashLines } from "../../platform/text/quote-fences.ts";

type Notes = { notes: string; key_facts: string[]; common_errors: string[]; never_say: string[] };

/** With its key if practice shows it immediately. */
type PoolQuestion = {
  kind: string;
  question: string;
  options?: { id: string; text: string }[];
  answer?: AnswerKey;
  explanation?: string;
};

/** Learners cannot read it (tutor-notes.sql). */
export type TutorContext = {
  item_notes?: Notes;
  course_notes?: Notes;
  item_line?: string;
  course_line?: string;
  pool?: PoolQuestion[];
};

export const tutorContextSql = (item: SQL): SQL =>
  sql`(select context from tutor_contexts where tutor_contexts.content_item_id = ${item})`;

export function notesForPrompt(notes: Notes | undefined): string {
  if (!notes) return "";
  const parts = [
    notes.notes.trim(),
    listed("Key facts", notes.key_facts),
    listed("Common errors", notes.common_errors),
    listed("Never say", notes.never_say),
  ];
  return quotePromptDashLines(parts.filter(Boolean).join("\n\n"));
}

const listed = (head: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [`${head}:`, ...lines.map((line) => `- ${line}`)].join("\n");

/** Whole questions within the limit; a last line reports more. */
export function poolQuestionsForPrompt(pool: readonly PoolQuestion[] | undefined, most: number): string {
  if (!pool || pool.length === 0) return "";
  let told = "The questions of this quiz:";
  for (const [at, question] of pool.entries()) {
    const next = `\n\n${at + 1}. ${quotePromptDashLines(questionAsTold(question))}`;
    if (told.length + next.length > most) return `${told}\n\n[${pool.length - at} more are not shown here.]`;
    told += next;
  }
  return told;
}

const questionAsTold = ({ question, options, answer, explanation }: PoolQuestion): string =>
  [
    question.trim(),
    ...(options ?? []).map(({ id, text }) => `${id}: ${text}`),
    answer && `Right: ${rightIn(answer)}`,
    explanation && `Because: ${explanation.trim()}`,
  ]
    .filter(Boolean)
    .join("\n");

const rightIn = ({ option_id, option_ids, value, tolerance, texts }: AnswerKey): string =>
  [
    ...(option_id === undefined ? [] : [option_id]),
    ...(option_ids ?? []),
    ...(value === undefined ? [] : [String(value)]),
    ...(tolerance === undefined ? [] : [`± ${tolerance}`]),
    ...(texts ?? []),
  ].join(", ");

/** Teachers' additions, verbatim; empty for none. */
export function teacherPromptAdditions(tutor: TutorContext | null | undefined): string {
  const { course_line, item_line } = tutor ?? {};
  return [
    course_line && `\n\nThe teachers of this course add:\n${course_line}`,
    item_line && `\n\nOf this topic they add:\n${item_line}`,
  ]
    .filter(Boolean)
    .join("");
}
