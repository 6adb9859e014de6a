import { memoize } from "../caching/memoize.ts";
import { unavailable } from "../errors.ts";
import { rootOf } from "../prompts/graph.ts";
import { BrokenReference, inlineReferences, type PromptGraph } from "../prompts/inline.ts";
import { variablesIn } from "../prompts/render.ts";
import { fingerprint } from "../text/fingerprint.ts";
import type { OpenTurn } from "./open-turn.ts";

/** The tutor's prompt as it stands now, references inlined, with the fingerprint that answers are kept under. */
export type TutorPrompt = {
  name: string;
  version: number;
  template: string;
  fingerprint: string;
  /** Whether the prompt names what stands around an item: then that counts in the key of its answers. */
  uses_surroundings: boolean;
  /** Of the version, as it is stored. */
  config: Readonly<Record<string, unknown>>;
};

/** The prompt with its references inlined; 503 when there is none, or when one of its references leads nowhere. */
export function tutorPrompt({ graph }: Pick<OpenTurn, "graph">): TutorPrompt {
  if (!graph) throw withoutPrompt();
  return promptOf(graph);
}

/** The rule of the generated column `prompts.uses_surroundings`, for a text that references no other. */
const surroundings = ["module_title", "course_title"];

const withoutPrompt = () => unavailable("no_production_prompt");

/** The text of a graph is put together once, for all turns that share the graph. */
const promptOf = memoize((graph: PromptGraph): TutorPrompt => {
  const root = rootOf(graph);
  if (!root) throw withoutPrompt();
  try {
    const template = inlineReferences(graph);
    return {
      name: root.name,
      version: root.version,
      template,
      fingerprint: fingerprint(template),
      uses_surroundings: variablesIn(template).some((name) => surroundings.includes(name)),
      config: graph.config ?? {},
    };
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    throw unavailable("prompt_not_resolved", error);
  }
});
