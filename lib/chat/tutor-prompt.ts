import { memoize } from "../caching/memoize.ts";
import { unavailable } from "../errors.ts";
import { rootOf } from "../prompts/graph.ts";
import { BrokenReference, inlineReferences, type PromptGraph } from "../prompts/inline.ts";
import { fingerprint } from "../text/fingerprint.ts";
import type { OpenTurn } from "./open-turn.ts";

/** The tutor's prompt as it stands now, references inlined, with the fingerprint that answers are kept under. */
export type TutorPrompt = { name: string; version: number; template: string; fingerprint: string };

/** The prompt with its references inlined; 503 when there is none, or when one of its references leads nowhere. */
export function tutorPrompt({ graph }: Pick<OpenTurn, "graph">): TutorPrompt {
  if (!graph) throw withoutPrompt();
  return promptOf(graph);
}

const withoutPrompt = () => unavailable("The tutor has no prompt that is labelled production");

/** Turns that have the same graph have the same text, which is put together once. */
const promptOf = memoize((graph: PromptGraph): TutorPrompt => {
  const root = rootOf(graph);
  if (!root) throw withoutPrompt();
  try {
    const template = inlineReferences(graph);
    return { name: root.name, version: root.version, template, fingerprint: fingerprint(template) };
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    throw unavailable("The tutor's prompt cannot be resolved", error);
  }
});
