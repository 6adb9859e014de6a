import { dataJsonForStudents } from "../../courses/content/student-view.ts";
import type { AnswerSecrets } from "../checks/checked-answer.ts";
import { findLastQuestion } from "../dialogue/answer-reader.ts";
import { type ContentContext, promptVariableValues } from "./content-context.ts";
import type { Exchange } from "./history.ts";

/** What the tutor must not reveal at a node, and the public part. */
export function collectTurnSecrets(
  { message, exchanges }: { message: string; exchanges: readonly Exchange[] },
  topic: ContentContext,
  maxMaterial: number,
): AnswerSecrets {
  return {
    asked: askedLast(exchanges),
    notes: tutorNoteTexts(topic),
    pool: topic.tutor?.pool ?? [],
    open: learnerVisibleText({ message, exchanges }, topic, maxMaterial),
  };
}

export const tutorNoteTexts = ({ tutor }: Pick<ContentContext, "tutor">): string[] =>
  [tutor?.item_notes, tutor?.course_notes].flatMap((notes) =>
    notes ? [notes.notes, ...notes.key_facts, ...notes.common_errors] : [],
  );

export const forbiddenPhrases = ({ tutor }: Pick<ContentContext, "tutor">): string[] =>
  [tutor?.item_notes, tutor?.course_notes].flatMap((notes) => notes?.never_say ?? []);

/** What learners can read: the material and earlier messages. */
export function learnerVisibleText(
  { message, exchanges }: { message: string; exchanges: readonly Exchange[] },
  { tutor: _, ...topic }: ContentContext,
  maxMaterial: number,
): string {
  const context = { ...topic, data_json: dataJsonForStudents(topic.content_type, topic.data_json) };
  const { title, description, content } = promptVariableValues(context, maxMaterial);
  const said = exchanges.flatMap(({ question, answer }) => [question, answer]);
  return [title, description, content, ...said, message].join("\n");
}

function askedLast(exchanges: readonly Exchange[]): AnswerSecrets["asked"] {
  const last = exchanges.findLast(({ key }) => key);
  const question = last && findLastQuestion(last.answer);
  return last?.key && question ? { question, key: last.key } : undefined;
}
