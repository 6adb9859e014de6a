import { unavailable } from "../errors.ts";
import { fingerprint } from "../fingerprint.ts";
import { rootOf } from "../prompts/graph.ts";
import { BrokenReference, inlineReferences } from "../prompts/inline.ts";
import type { OpenTurn } from "./open-turn.ts";

/** The tutor's prompt as it stands now, references inlined, with the fingerprint that answers are kept under. */
export type TutorPrompt = { name: string; version: number; template: string; fingerprint: string };

/** The prompt with its references inlined; 503 when there is none, or when one of its references leads nowhere. */
export function tutorPrompt({ graph }: Pick<OpenTurn, "graph">): TutorPrompt {
  const root = graph && rootOf(graph);
  if (!graph || !root) throw unavailable("The tutor has no prompt that is labelled production");
  try {
    const template = inlineReferences(graph);
    return { name: root.name, version: root.version, template, fingerprint: fingerprint(template) };
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    throw unavailable("The tutor's prompt cannot be resolved", error);
  }
}
