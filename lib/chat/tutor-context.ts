import type { AnswerKey } from "../../schema/db/questions.ts";
import { quoteFences } from "../text/quote-fences.ts";

/** What teachers wrote for the tutor alone, of an item or of its course. */
type Notes = { notes: string; key_facts: string[]; common_errors: string[]; never_say: string[] };

/** A question of a practice quiz, with its key where whoever takes it sees that at once. */
type PoolQuestion = {
  kind: string;
  question: string;
  options?: { id: string; text: string }[];
  answer?: AnswerKey;
  explanation?: string;
};

/** What the tutor is told beside an item's material, and no learner reads: `tutor_context_of` (tutor-notes.sql). */
export type TutorContext = {
  item_notes?: Notes;
  course_notes?: Notes;
  item_line?: string;
  course_line?: string;
  pool?: PoolQuestion[];
};

/** A teacher's notes as a prompt has them; empty where there are none. */
export function notesAsTold(notes: Notes | undefined): string {
  if (!notes) return "";
  const parts = [
    notes.notes.trim(),
    listed("Key facts", notes.key_facts),
    listed("Common errors", notes.common_errors),
    listed("Never say", notes.never_say),
  ];
  return quoteFences(parts.filter(Boolean).join("\n\n"));
}

const listed = (head: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [`${head}:`, ...lines.map((line) => `- ${line}`)].join("\n");

/** A quiz's questions as many as fit into so many characters, whole ones; a last line says that there are more. */
export function poolAsTold(pool: readonly PoolQuestion[] | undefined, most: number): string {
  if (!pool || pool.length === 0) return "";
  let told = "The questions of this quiz:";
  for (const [at, question] of pool.entries()) {
    const next = `\n\n${at + 1}. ${quoteFences(questionAsTold(question))}`;
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

/** What teachers add to the prompt, behind it and word for word; empty where they add nothing. */
export function linesBehindPrompt(tutor: TutorContext | null | undefined): string {
  const { course_line, item_line } = tutor ?? {};
  return [
    course_line && `\n\nThe teachers of this course add:\n${course_line}`,
    item_line && `\n\nOf this topic they add:\n${item_line}`,
  ]
    .filter(Boolean)
    .join("");
}
