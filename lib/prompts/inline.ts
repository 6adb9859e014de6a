import * as z from "zod";
import { PromptReference, type ResolutionGraph } from "../../schema/api/prompts.ts";
import {
  characterCount,
  countedReferencesOf,
  describeReference,
  type Reference,
  referencesOf,
  segmentsOf,
} from "./references.ts";

/** References may nest this many levels below a prompt. */
export const maxDepth = 5;

/** No text grows beyond this many characters by what it references, nor by what its placeholders become. */
export const maxResolvedLength = 1_000_000;

const GraphPrompt = z.object({ id: z.int(), name: z.string(), version: z.int(), prompt: z.string() });

/** Where a reference leads just now; null when there is no such version or label. */
export const GraphLink = PromptReference.extend({ child_id: z.int().nullable() });

/** A prompt with everything that its references reach, as one query returns it. */
export const PromptGraph = z.object({
  root: z.int(),
  /** Of the root, where it is asked for: those of the others act nowhere. */
  config: z.record(z.string(), z.unknown()).optional(),
  prompts: z.array(GraphPrompt),
  links: z.array(GraphLink),
});

type GraphPrompt = z.output<typeof GraphPrompt>;
export type GraphLink = z.output<typeof GraphLink>;
export type PromptGraph = z.output<typeof PromptGraph>;

/** What can be wrong with a reference, and how that is told. */
const problems = {
  missing: "is missing",
  cycle: "closes a cycle",
  "too deep": `is more than ${maxDepth} levels deep`,
  "too long": `makes the text longer than ${maxResolvedLength} characters`,
};

export type ReferenceProblem = keyof typeof problems;

/** A reference that cannot be followed. `chain` names the prompts from the root to it. */
export class BrokenReference extends Error {
  override name = "BrokenReference";
  readonly problem: ReferenceProblem;
  readonly chain: readonly string[];

  constructor(problem: ReferenceProblem, chain: readonly string[]) {
    super(`Prompt reference ${problems[problem]}: ${chain.join(" -> ")}`);
    this.problem = problem;
    this.chain = chain;
  }
}

/**
 * The root's text with all references inlined, by parsed position: what is inlined is not parsed again. Throws
 * `BrokenReference` for a reference without a target, a cycle, more than five levels, or a text out of bounds, which
 * is counted before any is put together: texts that reference each other twice double with each level.
 */
export function inlineReferences(graph: PromptGraph): string {
  const prompts = promptsOf(graph);
  const targetOf = targetsOf(graph);
  if (resolvedLength(graph) > maxResolvedLength) throw tooLong(prompts.get(graph.root)?.name ?? "");

  const texts = new Map<number | null, string>();
  const textOf = (id: number | null): string => {
    const known = texts.get(id);
    if (known !== undefined) return known;
    const segments = segmentsOf(prompts.get(id ?? 0)?.prompt ?? "");
    const text = segments.map((segment) =>
      typeof segment === "string" ? segment : textOf(targetOf(segment)),
    );
    texts.set(id, text.join(""));
    return text.join("");
  };
  return textOf(graph.root);
}

/** How long the root's text is with all references inlined, in characters; throws where one cannot be followed. */
function resolvedLength(graph: PromptGraph): number {
  const prompts = promptsOf(graph);
  const targetOf = targetsOf(graph);
  /** A prompt that many others share is counted once for each level at which it stands. */
  const lengths = new Map<string, number>();

  const lengthOf = (id: number, path: readonly GraphPrompt[]): number => {
    const prompt = prompts.get(id);
    if (!prompt) throw new BrokenReference("missing", path.map(nameOf));
    const here = [...path, prompt];
    if (path.some((above) => above.id === id)) throw new BrokenReference("cycle", here.map(nameOf));
    if (path.length > maxDepth) throw new BrokenReference("too deep", here.map(nameOf));
    const key = `${id} at level ${path.length}`;
    const length = lengths.get(key) ?? count(prompt, here);
    lengths.set(key, length);
    return length;
  };

  const count = ({ prompt }: GraphPrompt, path: readonly GraphPrompt[]): number => {
    const inlined = countedReferencesOf(prompt).map(
      (reference) => reference.occurrences * follow(reference, path) - reference.tag_characters,
    );
    return inlined.reduce((sum, more) => sum + more, characterCount(prompt));
  };

  const follow = (reference: Reference, path: readonly GraphPrompt[]): number => {
    const target = targetOf(reference);
    if (target === null)
      throw new BrokenReference("missing", [...path.map(nameOf), describeReference(reference)]);
    return lengthOf(target, path);
  };

  return lengthOf(graph.root, []);
}

/** A prompt whose references make it longer than any may be. */
export const tooLong = (name: string) => new BrokenReference("too long", [name]);

/** Which prompts the root is made of: by the id of each that references others, those others in order. */
export function resolutionGraph(graph: PromptGraph): ResolutionGraph {
  const prompts = promptsOf(graph);
  const targetOf = targetsOf(graph);
  const node = (id: number | null) => {
    const prompt = id === null ? undefined : prompts.get(id);
    return prompt ? [{ id: prompt.id, name: prompt.name, version: prompt.version }] : [];
  };

  const dependencies = graph.prompts.flatMap(({ id, prompt }) => {
    const children = new Set(referencesOf(prompt).map(targetOf));
    return children.size > 0 ? [[String(id), [...children].flatMap(node)] as const] : [];
  });
  const [root] = node(graph.root);
  if (!root) throw new Error("a prompt's graph is without its root");
  return { root, dependencies: Object.fromEntries(dependencies) };
}

const promptsOf = (graph: PromptGraph) => new Map(graph.prompts.map((prompt) => [prompt.id, prompt]));

/** Where a reference leads; null when it leads nowhere. */
function targetsOf(graph: PromptGraph): (reference: Reference) => number | null {
  const targets = new Map(graph.links.map((link) => [describeReference(link), link.child_id]));
  return (reference) => targets.get(describeReference(reference)) ?? null;
}

const nameOf = ({ name }: GraphPrompt): string => name;
