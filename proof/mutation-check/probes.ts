import type { CoverageProbe, Mutant } from "./mutant.ts";

export type NamedProbe = CoverageProbe & { name: string };

/** Several mutants may share a probe. */
export const nameOfProbe = (file: string, { start, end, kind }: CoverageProbe): string =>
  `${file}:${start}-${end}:${kind}`;

export function probesByFile(mutants: readonly Mutant[]): Map<string, NamedProbe[]> {
  const probes = new Map<string, Map<string, NamedProbe>>();
  for (const { file, probe } of mutants) {
    if (!probe) continue;
    const name = nameOfProbe(file, probe);
    const ofFile = probes.get(file) ?? new Map<string, NamedProbe>();
    probes.set(file, ofFile.set(name, { ...probe, name }));
  }
  return new Map([...probes].map(([file, ofFile]) => [file, [...ofFile.values()]]));
}
