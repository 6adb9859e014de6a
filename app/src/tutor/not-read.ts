import type { Schemas } from "learning-platform-client";
import { t } from "../texts.ts";

/** The content that the tutor has not read: the first few by name. */
export function contentUnreadByTutorLabel(of: readonly Schemas["NotRead"][]): string {
  const named = [...new Set(of.map(({ kind, label }) => t(`not.read.${kind}`, { label })))];
  return named.slice(0, 5).join(", ") + (named.length > 5 ? " …" : "");
}
