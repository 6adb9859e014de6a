import { describeReference, type Reference, segmentsOf } from "./references.ts";

/** References may nest this many levels below a prompt. */
export const deepestNesting = 5;

/** No prompt grows beyond this many characters by what it references. */
const longestResolved = 2_000_000;

export type GraphPrompt = { id: number; name: string; version: number; prompt: string };

/** Where a reference leads just now; null when there is no such version or label. */
export type GraphLink = Reference & { child_id: number | null };

/** A prompt with everything that its references reach, as one query returns it. */
export type PromptGraph = { root: number; prompts: GraphPrompt[]; links: GraphLink[] };

export type ReferenceProblem = "missing" | "cycle" | "too deep" | "too long";

/** A reference that cannot be followed. `chain` names the prompts from the root to it. */
export class BrokenReference extends Error {
  override name = "BrokenReference";
  readonly problem: ReferenceProblem;
  readonly chain: readonly string[];

  constructor(problem: ReferenceProblem, chain: readonly string[]) {
    super(`Prompt reference is ${problem}: ${chain.join(" -> ")}`);
    this.problem = problem;
    this.chain = chain;
  }
}

/**
 * The root's text with all references inlined, by parsed position: what is inlined is not parsed again. Throws
 * `BrokenReference` for a reference without a target, a cycle, more than five levels, or a text out of bounds.
 */
export function inlineReferences(graph: PromptGraph): string {
  const prompts = new Map(graph.prompts.map((prompt) => [prompt.id, prompt]));
  const targets = new Map(graph.links.map((link) => [describeReference(link), link.child_id]));
  /** A prompt that many others share is assembled once for each level at which it stands. */
  const resolved = new Map<string, string>();

  const resolve = (id: number, path: readonly GraphPrompt[]): string => {
    const prompt = prompts.get(id);
    if (!prompt) throw new BrokenReference("missing", path.map(nameOf));
    const here = [...path, prompt];
    if (path.some((above) => above.id === id)) throw new BrokenReference("cycle", here.map(nameOf));
    if (path.length > deepestNesting) throw new BrokenReference("too deep", here.map(nameOf));
    const key = `${id} at level ${path.length}`;
    const text = resolved.get(key) ?? assemble(prompt, here);
    resolved.set(key, text);
    return text;
  };

  const assemble = (prompt: GraphPrompt, path: readonly GraphPrompt[]): string => {
    let text = "";
    for (const segment of segmentsOf(prompt.prompt)) {
      text += typeof segment === "string" ? segment : follow(segment, path);
      if (text.length > longestResolved) throw new BrokenReference("too long", path.map(nameOf));
    }
    return text;
  };

  const follow = (reference: Reference, path: readonly GraphPrompt[]): string => {
    const target = targets.get(describeReference(reference)) ?? null;
    if (target === null)
      throw new BrokenReference("missing", [...path.map(nameOf), describeReference(reference)]);
    return resolve(target, path);
  };

  return resolve(graph.root, []);
}

const nameOf = ({ name }: GraphPrompt): string => name;
