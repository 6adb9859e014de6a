import { unavailable } from "../../errors.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import { rootPrompt } from "../prompts/graph.ts";
import { BrokenReferenceError, inlineReferences, type PromptGraph } from "../prompts/inline.ts";
import { findVariableNames } from "../prompts/render.ts";
import type { OpenTurn } from "./open-turn.ts";

/** The current prompt with references inlined, and its answers' fingerprint. */
export type TutorPrompt = {
  name: string;
  version: number;
  template: string;
  fingerprint: string;
  /** An item's surroundings then count in the answers' key. */
  uses_surroundings: boolean;
  config: Readonly<Record<string, unknown>>;
};

/** 503 if there is none or a reference is broken. */
export function resolveTutorPrompt({ graph }: Pick<OpenTurn, "graph">): TutorPrompt {
  if (!graph) throw withoutPrompt();
  return promptOf(graph);
}

/** Same rule as the generated column `prompts.uses_surroundings`. */
const surroundings = ["module_title", "course_title"];

const withoutPrompt = () => unavailable("no_production_prompt");

/** Inlined once for all turns that share the graph. */
const promptOf = memoize((graph: PromptGraph): TutorPrompt => {
  const root = rootPrompt(graph);
  if (!root) throw withoutPrompt();
  try {
    const template = inlineReferences(graph);
    return {
      name: root.name,
      version: root.version,
      template,
      fingerprint: fingerprint(template),
      uses_surroundings: findVariableNames(template).some((name) => surroundings.includes(name)),
      config: graph.config ?? {},
    };
  } catch (error) {
    if (!(error instanceof BrokenReferenceError)) throw error;
    throw unavailable("prompt_not_resolved", error);
  }
});
