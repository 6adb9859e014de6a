import type { NotRead } from "../../../schema/api/tutor/chat.ts";
import { dataJsonForStudents } from "../../courses/content/student-view.ts";
import { fingerprintOfJson } from "../../platform/text/fingerprint.ts";
import { quoteOnOneLine, singleLine } from "../../platform/text/single-line.ts";
import { type TopicVariable, topicVariables } from "../prompts/variables.ts";
import type { FileText } from "./file-texts.ts";
import { materialWithinLimit } from "./material.ts";
import { notesForPrompt, poolQuestionsForPrompt, type TutorContext } from "./tutor-context.ts";

export type ContentContext = {
  content_item_id: number;
  module_id: number;
  course_id: number;
  university_id: number;
  title: string;
  description: string | null;
  content_type: string;
  data_json: Record<string, unknown>;
  module_title: string;
  course_title: string;
  course_code: string;
  language: string;
  level: string;
  file_texts?: FileText[] | null;
  /** Learners cannot read it. */
  tutor?: TutorContext | null;
};

/** As stored, including parts hidden from learners. */
export type TopicRow = ContentContext;

export const topicFingerprints = (topic: TopicRow, maxMaterial: number) =>
  contentFingerprints(
    { ...topic, data_json: dataJsonForStudents(topic.content_type, topic.data_json) },
    maxMaterial,
  );

/**
 * Identifies equal content across rows: the item's text within the tutor's limit, with the bytes of file
 * texts; separately the surroundings, which few prompts use. Excludes ids, dates and the course's code.
 */
function contentFingerprints(context: ContentContext, maxMaterial: number) {
  const { tutor, ...untold } = context;
  const { module_title, course_title, course_code, tutor_notes, course_notes, ...item } = contentValues(
    untold,
    maxMaterial,
  );
  const files = context.file_texts?.map(({ sha256, characters }) => ({ sha256, characters })) ?? [];
  const { content, description, ...others } = item;
  // Copying a course changes the ids in links.
  const told = { ...others, content: withoutItemIds(content), description: withoutItemIds(description) };
  return {
    item_fingerprint: fingerprintOfJson({
      ...told,
      ...(files.length > 0 && { files }),
      ...(tutor && { tutor }),
    }),
    surroundings_fingerprint: fingerprintOfJson({ module_title, course_title }),
  };
}

const withoutItemIds = (text: string): string => text.replaceAll(/\]\(#\/items\/\d+/g, "](#/items/");

type StoredContext = Record<string, unknown>;

/** Older snapshots can contain keys that later became staff-only. */
export function contextForLearners({ file_texts: _, ...context }: StoredContext): StoredContext {
  const { content_type, data_json } = teachable(context);
  return { ...context, data_json: dataJsonForStudents(content_type, data_json) };
}

/** Parts that the tutor did not read; it reads a quiz's questions if it `knows_pool`. */
export const partsNotReadByTutor = (
  context: StoredContext,
  maxMaterial: number,
  { knows_pool }: { knows_pool: boolean } = { knows_pool: false },
): NotRead[] =>
  materialWithinLimit(teachable(context, knows_pool), maxMaterial).notRead.map(({ label, kind }) => ({
    label,
    kind: kind.toUpperCase() as NotRead["kind"],
  }));

/** A known pool follows the material, so it is not reported as unread. */
function teachable({ content_type, title, data_json, file_texts }: StoredContext, knowsPool = false) {
  const data = Object(data_json) as Record<string, unknown>;
  const { question_pool_id: _, ...withoutPool } = data;
  return {
    content_type: String(content_type ?? ""),
    title: String(title ?? ""),
    data_json: knowsPool ? withoutPool : data,
    file_texts: (file_texts ?? []) as FileText[],
  };
}

/** A pool's questions follow the material, within its limit. */
function contentValues(
  { tutor, ...context }: ContentContext,
  maxMaterial: number,
): Record<TopicVariable, string> {
  const { text } = materialWithinLimit(teachable(context, tutor?.pool !== undefined), maxMaterial);
  const pool = poolQuestionsForPrompt(tutor?.pool, maxMaterial - text.length);
  return {
    title: context.title,
    description: context.description ?? "",
    content_type: context.content_type,
    content: [text, pool].filter(Boolean).join("\n\n"),
    module_title: context.module_title,
    course_title: context.course_title,
    course_code: context.course_code,
    language: context.language,
    level: context.level,
    tutor_notes: notesForPrompt(tutor?.item_notes),
    course_notes: notesForPrompt(tutor?.course_notes),
  };
}

/** Only the material and the notes have several lines. */
const spellings: Record<TopicVariable, (value: string) => string> = {
  title: quoteOnOneLine,
  description: quoteOnOneLine,
  content_type: singleLine,
  content: (value) => value,
  module_title: quoteOnOneLine,
  course_title: quoteOnOneLine,
  course_code: singleLine,
  language: singleLine,
  level: singleLine,
  tutor_notes: (value) => value,
  course_notes: (value) => value,
};

/** Values of a prompt's placeholders; missing ones are empty. */
export function promptVariableValues(
  context: ContentContext,
  maxMaterial: number,
): Record<TopicVariable, string> {
  const values = contentValues(context, maxMaterial);
  const spelled = topicVariables.map((name) => [name, spellings[name](values[name] ?? "")]);
  return Object.fromEntries(spelled);
}
