import { fingerprintOf } from "../text/fingerprint.ts";
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
};

/** What tells whether two snapshots teach the same, whatever rows they came from. */
export const contentFingerprint = (context: ContentContext): string => fingerprintOf(context);

/** The values of a tutor prompt's placeholders. What the item does not have is left out and becomes empty. */
export function promptVariables(context: ContentContext, mostMaterial: number): Record<string, string> {
  return {
    title: context.title,
    description: context.description ?? "",
    content_type: context.content_type,
    content: materialOf(context.data_json, mostMaterial),
    module_title: context.module_title,
    course_title: context.course_title,
    course_code: context.course_code,
    language: context.language,
  };
}
