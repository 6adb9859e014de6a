import * as z from "zod";
import { PromptReference, type ResolutionGraph } from "../../../schema/api/tutor/prompts.ts";
import {
  characterCount,
  countReferences,
  describeReference,
  distinctReferences,
  type Reference,
  splitAtReferences,
} from "./references.ts";

/** Of references below a prompt. */
export const maxPromptReferenceDepth = 5;

/** In characters, after inlining references or replacing placeholders. */
export const maxResolvedPromptCharacters = 1_000_000;

const GraphPrompt = z.object({ id: z.int(), name: z.string(), version: z.int(), prompt: z.string() });

/** Null if the version or label does not exist. */
export const GraphLink = PromptReference.extend({ child_id: z.int().nullable() });

/** A prompt with everything that its references reach. */
export const PromptGraph = z.object({
  root: z.int(),
  /** The root's, on request; those of references have no effect. */
  config: z.record(z.string(), z.unknown()).optional(),
  prompts: z.array(GraphPrompt),
  links: z.array(GraphLink),
});

type GraphPrompt = z.output<typeof GraphPrompt>;
export type GraphLink = z.output<typeof GraphLink>;
export type PromptGraph = z.output<typeof PromptGraph>;

const problems = {
  missing: "is missing",
  cycle: "closes a cycle",
  "too deep": `is more than ${maxPromptReferenceDepth} levels deep`,
  "too long": `makes the text longer than ${maxResolvedPromptCharacters} characters`,
};

export type ReferenceProblem = keyof typeof problems;

/** `chain` names the prompts from the root. */
export class BrokenReferenceError extends Error {
  override name = "BrokenReferenceError";
  readonly problem: ReferenceProblem;
  readonly chain: readonly string[];

  constructor(problem: ReferenceProblem, chain: readonly string[]) {
    super(`Prompt reference ${problems[problem]}: ${chain.join(" -> ")}`);
    this.problem = problem;
    this.chain = chain;
  }
}

/**
 * Inlined text is not parsed again. Throws `BrokenReferenceError` for a missing target, a cycle, excessive depth
 * or length. Checks the length first: double references double the text with each level.
 */
export function inlineReferences(graph: PromptGraph): string {
  const prompts = promptsOf(graph);
  const targetOf = targetsOf(graph);
  if (resolvedLength(graph) > maxResolvedPromptCharacters)
    throw promptTooLongError(prompts.get(graph.root)?.name ?? "");

  const texts = new Map<number | null, string>();
  const textOf = (id: number | null): string => {
    const known = texts.get(id);
    if (known !== undefined) return known;
    const segments = splitAtReferences(prompts.get(id ?? 0)?.prompt ?? "");
    const text = segments.map((segment) =>
      typeof segment === "string" ? segment : textOf(targetOf(segment)),
    );
    texts.set(id, text.join(""));
    return text.join("");
  };
  return textOf(graph.root);
}

/** In characters, after inlining; throws if a reference is broken. */
function resolvedLength(graph: PromptGraph): number {
  const prompts = promptsOf(graph);
  const targetOf = targetsOf(graph);
  /** By prompt and level. */
  const lengths = new Map<string, number>();

  const lengthOf = (id: number, path: readonly GraphPrompt[]): number => {
    const prompt = prompts.get(id);
    if (!prompt) throw new BrokenReferenceError("missing", path.map(nameOf));
    const here = [...path, prompt];
    if (path.some((above) => above.id === id)) throw new BrokenReferenceError("cycle", here.map(nameOf));
    if (path.length > maxPromptReferenceDepth) throw new BrokenReferenceError("too deep", here.map(nameOf));
    const key = `${id} at level ${path.length}`;
    const length = lengths.get(key) ?? count(prompt, here);
    lengths.set(key, length);
    return length;
  };

  const count = ({ prompt }: GraphPrompt, path: readonly GraphPrompt[]): number => {
    const inlined = countReferences(prompt).map(
      (reference) => reference.occurrences * follow(reference, path) - reference.tag_characters,
    );
    return inlined.reduce((sum, more) => sum + more, characterCount(prompt));
  };

  const follow = (reference: Reference, path: readonly GraphPrompt[]): number => {
    const target = targetOf(reference);
    if (target === null)
      throw new BrokenReferenceError("missing", [...path.map(nameOf), describeReference(reference)]);
    return lengthOf(target, path);
  };

  return lengthOf(graph.root, []);
}

export const promptTooLongError = (name: string) => new BrokenReferenceError("too long", [name]);

/** For each prompt with references, the ids of its targets in order. */
export function resolutionGraph(graph: PromptGraph): ResolutionGraph {
  const prompts = promptsOf(graph);
  const targetOf = targetsOf(graph);
  const node = (id: number | null) => {
    const prompt = id === null ? undefined : prompts.get(id);
    return prompt ? [{ id: prompt.id, name: prompt.name, version: prompt.version }] : [];
  };

  const dependencies = graph.prompts.flatMap(({ id, prompt }) => {
    const children = new Set(distinctReferences(prompt).map(targetOf));
    return children.size > 0 ? [[String(id), [...children].flatMap(node)] as const] : [];
  });
  const [root] = node(graph.root);
  if (!root) throw new Error("a prompt's graph is without its root");
  return { root, dependencies: Object.fromEntries(dependencies) };
}

const promptsOf = (graph: PromptGraph) => new Map(graph.prompts.map((prompt) => [prompt.id, prompt]));

/** Null if the target is missing. */
function targetsOf(graph: PromptGraph): (reference: Reference) => number | null {
  const targets = new Map(graph.links.map((link) => [describeReference(link), link.child_id]));
  return (reference) => targets.get(describeReference(reference)) ?? null;
}

const nameOf = ({ name }: GraphPrompt): string => name;
