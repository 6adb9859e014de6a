import { sectionMarkers } from "./question-sections.ts";

export const topicVariables = [
  ...(["title", "description", "content_type", "content", "tutor_notes", "course_notes"] as const),
  ...(["language", "level", "course_title", "course_code", "module_title"] as const),
] as const;

export type TopicVariable = (typeof topicVariables)[number];

/** All that a tutor's prompt may name in double braces. */
export const knownVariables: readonly string[] = [...topicVariables, ...sectionMarkers];
