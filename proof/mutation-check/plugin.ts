import path from "node:path";
import type { Plugin } from "vite";
import { repositoryRoot } from "./catalog.ts";
import { applyEdits, type Mutant, type SourceEdit } from "./mutant.ts";
import type { NamedProbe } from "./probes.ts";

type Inserted = { mutants: readonly Mutant[]; probes: ReadonlyMap<string, readonly NamedProbe[]> };

const shared = globalThis as { mutationCheck?: Inserted };

/**
 * The plugin's changes to files that Vitest loads; the disk stays unchanged. Global, because Vite loads this
 * module twice.
 */
shared.mutationCheck ??= { mutants: [], probes: new Map() };
export const injectedMutantsAndProbes: Inserted = shared.mutationCheck;

export const mutationPlugin = (): Plugin => ({
  name: "mutation-check",
  enforce: "pre",
  transform(code, id) {
    const file = path.relative(repositoryRoot, id.split("?")[0] ?? id);
    const edits = injectedMutantsAndProbes.mutants
      .filter((mutant) => mutant.file === file)
      .map(({ edit }) => edit);
    const probes = injectedMutantsAndProbes.probes.get(file);
    if (edits.length > 0) return { code: applyEdits(code, edits), map: null };
    return probes ? { code: wrapProbedExpressions(code, probes), map: null } : undefined;
  },
});

/** Wraps each observed expression in a call of `mutationProbe` (coverage-setup.ts). */
export function wrapProbedExpressions(code: string, probes: readonly NamedProbe[]): string {
  const marks: (SourceEdit & { width: number })[] = probes.flatMap(({ start, end, kind, name }) => {
    const quoted = JSON.stringify(name);
    const begin =
      kind === "evaluated" ? `(mutationProbe.evaluated(${quoted}), ` : `mutationProbe.${kind}(${quoted}, `;
    const width = end - start;
    return [
      { start, end: start, text: begin, width },
      { start: end, end, text: ")", width: -width },
    ];
  });
  // At equal positions, outer marks start first and end last.
  const ordered = marks.toSorted((one, other) => one.start - other.start || orderAt(one, other));
  let text = "";
  let at = 0;
  for (const mark of ordered) {
    text += code.slice(at, mark.start) + mark.text;
    at = mark.start;
  }
  return text + code.slice(at);
}

function orderAt(one: { width: number }, other: { width: number }): number {
  const [ends, otherEnds] = [one.width < 0, other.width < 0];
  if (ends !== otherEnds) return ends ? -1 : 1;
  return other.width - one.width;
}
