import { type Mutant, type MutantCategory, mutantCategories } from "./mutant.ts";
import type { MutantResult, MutantResultLog } from "./results.ts";

export type MutantVerdict =
  | "found by npm test"
  | "found by test:all only"
  | "found by neither"
  | "invalid"
  | "unknown";

/** Share of `test:all`'s findings that `npm test` may miss. */
const maxMissedShare = 0.02;

export function judgeMutant(
  results: MutantResultLog,
  { id }: Mutant,
): { verdict: MutantVerdict; result?: MutantResult } {
  const [each, rest, all] = (["each", "rest", "all"] as const).map((phase) => results.of(id, phase));
  if (each?.verdict === "invalid") return { verdict: "invalid", result: each };
  for (const result of [each, rest])
    if (result?.verdict === "found") return { verdict: "found by npm test", result };
  if (all?.verdict === "found") return { verdict: "found by test:all only", result: all };
  return all ? { verdict: "found by neither", result: all } : { verdict: "unknown" };
}

/**
 * A table of verdicts and a list of mutants that `npm test` misses; `holds` if the share is within the limit.
 */
export function buildMutationReport(
  mutants: readonly Mutant[],
  results: MutantResultLog,
): { text: string; holds: boolean } {
  const judged = mutants.map((mutant) => ({ mutant, ...judgeMutant(results, mutant) }));
  const count = (verdict: MutantVerdict, category?: MutantCategory) =>
    judged.filter((one) => one.verdict === verdict && (!category || one.mutant.category === category)).length;
  const columns: MutantVerdict[] = [
    "found by npm test",
    "found by test:all only",
    "found by neither",
    "invalid",
    "unknown",
  ];
  const row = (name: string, category?: MutantCategory) =>
    `| ${[name, ...columns.map((verdict) => count(verdict, category))].join(" | ")} |`;
  const listed = (verdict: MutantVerdict) =>
    judged
      .filter((one) => one.verdict === verdict)
      .map(({ mutant, result }) => {
        const { id, file, line, operator, from, edit } = mutant;
        const by = result?.by ? `\n    found by ${result.by.file}: ${result.by.test}` : "";
        return `- ${id} ${file}:${line} ${operator}: ${brief(from)} -> ${brief(edit.text) || "nothing"}${by}`;
      });
  const alone = count("found by test:all only");
  const found = count("found by npm test") + alone;
  const share = found === 0 ? 0 : alone / found;
  const atLoad = judged.filter(
    ({ verdict, result }) => verdict === "found by npm test" && result?.by?.test === "",
  );
  const text = [
    `| Category | ${columns.join(" | ")} |`,
    `| --- |${" --- |".repeat(columns.length)}`,
    ...mutantCategories.map((category) => row(category, category)),
    row("all"),
    "",
    `npm test misses ${alone} of the ${found} faults that test:all finds: ${(share * 100).toFixed(1)} %, at most ${maxMissedShare * 100} % are allowed.`,
    `${atLoad.length} of those that npm test finds fail a file before its tests.`,
    ...(["found by test:all only", "found by neither", "invalid", "unknown"] as const).flatMap((verdict) =>
      count(verdict) > 0 ? ["", `${verdict}:`, ...listed(verdict)] : [],
    ),
  ].join("\n");
  return { text, holds: share <= maxMissedShare && count("unknown") === 0 };
}

const brief = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 90);
