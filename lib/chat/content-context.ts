import type { NotRead } from "../../schema/api/chat.ts";
import { studentView } from "../content/student-view.ts";
import { fingerprintOf } from "../text/fingerprint.ts";
import type { FileText } from "./file-texts.ts";
import { materialOf } from "./material.ts";
import { notesAsTold, poolAsTold, type TutorContext } from "./tutor-context.ts";

/** The snapshot of a content item that a conversation is about, as it was when the conversation began. */
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
  /** Of the course. */
  level: string;
  /** Those of its files that have a text; absent where none has. */
  file_texts?: FileText[] | null;
  /** What the tutor is told beside it, and nobody reads. */
  tutor?: TutorContext | null;
};

/** An item with what stands around it, as its row has it: nothing of it is hidden from staff. */
export type TopicRow = ContentContext;

/** The fingerprints of its item that a session stores: of what learners and the tutor get of it. */
export const fingerprintsOf = (topic: TopicRow, mostMaterial: number) =>
  contentFingerprints(
    { ...topic, data_json: studentView(topic.content_type, topic.data_json) },
    mostMaterial,
  );

/**
 * What tells whether two snapshots teach the same, whatever rows they came from: of what the tutor is told of the item,
 * its material within the limit with the bytes that its files' texts were read from, and of what stands around it, which
 * few prompts name. Ids, dates and the course's code never count.
 */
function contentFingerprints(context: ContentContext, mostMaterial: number) {
  const { tutor, ...untold } = context;
  const { module_title, course_title, course_code, tutor_notes, course_notes, ...item } = promptVariables(
    untold,
    mostMaterial,
  );
  const files = context.file_texts?.map(({ sha256, characters }) => ({ sha256, characters })) ?? [];
  const { content = "", description = "", ...others } = item;
  // A link leads from a copy to the copy of what it led to.
  const told = { ...others, content: withoutItemIds(content), description: withoutItemIds(description) };
  return {
    item_fingerprint: fingerprintOf({ ...told, ...(files.length > 0 && { files }), ...(tutor && { tutor }) }),
    surroundings_fingerprint: fingerprintOf({ module_title, course_title }),
  };
}

const withoutItemIds = (text: string): string => text.replaceAll(/\]\(#\/items\/\d+/g, "](#/items/");

/** A snapshot as it is stored. */
type StoredContext = Record<string, unknown>;

/** A snapshot as learners read it: one that was taken before a key became the staff's holds it still. */
export function learnersContext({ file_texts: _, ...context }: StoredContext): StoredContext {
  const { content_type, data_json } = teachable(context);
  return { ...context, data_json: studentView(content_type, data_json) };
}

/** What of the item the tutor has not read; it reads the quiz's questions where it `knows_pool`. */
export const notReadIn = (
  context: StoredContext,
  mostMaterial: number,
  { knows_pool }: { knows_pool: boolean } = { knows_pool: false },
): NotRead[] =>
  materialOf(teachable(context, knows_pool), mostMaterial).notRead.map(({ label, kind }) => ({
    label,
    kind: kind.toUpperCase() as NotRead["kind"],
  }));

/** What is told of the pool itself stands beside the material, which then does not count it as missing. */
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

/**
 * The values of a tutor prompt's placeholders. What the item does not have is left out and becomes empty. The questions of
 * a pool follow the material, within the same limit.
 */
export function promptVariables(
  { tutor, ...context }: ContentContext,
  mostMaterial: number,
): Record<string, string> {
  const { text } = materialOf(teachable(context, tutor?.pool !== undefined), mostMaterial);
  const pool = poolAsTold(tutor?.pool, mostMaterial - text.length);
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
    tutor_notes: notesAsTold(tutor?.item_notes),
    course_notes: notesAsTold(tutor?.course_notes),
  };
}
