import { type TextKey, t } from "../texts.ts";

const kinds: Record<string, TextKey> = {
  text: "kind.text",
  video: "kind.video",
  quiz: "kind.quiz",
  engineering_lab: "kind.lab",
  assignment: "kind.assignment",
  resource: "kind.resource",
  scorm: "kind.scorm",
  external_tool: "kind.tool",
};

/** The translated name of a content type. Types that administrators added keep their own name. */
export const contentTypeLabel = (contentType: string): string => {
  const text = kinds[contentType];
  return text ? t(text) : contentType;
};
