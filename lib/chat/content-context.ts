import type { NotRead } from "../../schema/api/chat.ts";
import { formerStudentView } from "../content/former-student-view.ts";
import { studentView } from "../content/student-view.ts";
import { fingerprintOf } from "../text/fingerprint.ts";
import type { FileText } from "./file-texts.ts";
import { materialOf } from "./material.ts";

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
  /** Those of its files that have a text; absent where none has. */
  file_texts?: FileText[] | null;
};

/** An item with what stands around it, as its row has it: nothing of it is hidden from staff. */
export type TopicRow = ContentContext;

/** The fingerprints that a session keeps of its item, from what learners and the tutor get of it. */
export const fingerprintsOf = (topic: TopicRow, mostMaterial: number) => ({
  ...contentFingerprints(
    { ...topic, data_json: studentView(topic.content_type, topic.data_json) },
    mostMaterial,
  ),
  content_fingerprint: formerFingerprint({
    ...topic,
    data_json: formerStudentView(topic.content_type, topic.data_json),
  }),
});

/**
 * What tells whether two snapshots teach the same, whatever rows they came from: of what the tutor is told of the item,
 * its material within the limit with the bytes that its files' texts were read from, and of what stands around it, which
 * few prompts name. Ids, dates and the course's code never count.
 */
function contentFingerprints(context: ContentContext, mostMaterial: number) {
  const { module_title, course_title, course_code: _, ...item } = promptVariables(context, mostMaterial);
  const files = context.file_texts?.map(({ sha256, characters }) => ({ sha256, characters })) ?? [];
  return {
    item_fingerprint: fingerprintOf({ ...item, ...(files.length > 0 && { files }) }),
    surroundings_fingerprint: fingerprintOf({ module_title, course_title }),
  };
}

/** What answers were kept under before those two were told apart, as it was then: it finds what was stored so. */
export const formerFingerprint = ({
  content_item_id,
  module_id,
  course_id,
  university_id,
  title,
  description,
  content_type,
  data_json,
  module_title,
  course_title,
  course_code,
  language,
}: ContentContext): string =>
  fingerprintOf({
    content_item_id,
    module_id,
    course_id,
    university_id,
    title,
    description,
    content_type,
    data_json,
    module_title,
    course_title,
    course_code,
    language,
  });

/** A snapshot as it is stored, whoever wrote it and when: one of long ago may lack keys. */
type StoredContext = Record<string, unknown>;

/** A snapshot as learners read it: one that was taken before a key became the staff's holds it still. */
export function learnersContext({ file_texts: _, ...context }: StoredContext): StoredContext {
  const { content_type, data_json } = teachable(context);
  return { ...context, data_json: studentView(content_type, data_json) };
}

/** What of the item the tutor has not read. */
export const notReadIn = (context: StoredContext, mostMaterial: number): NotRead[] =>
  materialOf(teachable(context), mostMaterial).notRead.map(({ label, kind }) => ({
    label,
    kind: kind.toUpperCase() as NotRead["kind"],
  }));

const teachable = ({ content_type, title, data_json, file_texts }: StoredContext) => ({
  content_type: String(content_type ?? ""),
  title: String(title ?? ""),
  data_json: Object(data_json) as Record<string, unknown>,
  file_texts: (file_texts ?? []) as FileText[],
});

/** The values of a tutor prompt's placeholders. What the item does not have is left out and becomes empty. */
export function promptVariables(context: ContentContext, mostMaterial: number): Record<string, string> {
  return {
    title: context.title,
    description: context.description ?? "",
    content_type: context.content_type,
    content: materialOf(teachable(context), mostMaterial).text,
    module_title: context.module_title,
    course_title: context.course_title,
    course_code: context.course_code,
    language: context.language,
  };
}
