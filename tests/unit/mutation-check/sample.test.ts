import { describe, expect, it } from "vitest";
import { sampleMutants } from "../../../proof/mutation-check/catalog.ts";
import { draftConditionMutants } from "../../../proof/mutation-check/conditions.ts";
import { type Mutant, mutantCategories, mutantsFromDrafts } from "../../../proof/mutation-check/mutant.ts";
import { wrapProbedExpressions } from "../../../proof/mutation-check/plugin.ts";
import { probesByFile } from "../../../proof/mutation-check/probes.ts";
import { buildMutationReport } from "../../../proof/mutation-check/report.ts";
import type { MutantResult, MutantResultLog } from "../../../proof/mutation-check/results.ts";

const lines = Array.from({ length: 40 }, (_, index) => `const f${index} = () => a${index} && !b || c < d;`);
const mutants = mutantCategories.flatMap((category) =>
  mutantsFromDrafts(
    `lib/${category}.ts`,
    lines.join("\n"),
    draftConditionMutants(lines.join("\n"), category),
  ),
);
const idsOf = (some: readonly Mutant[]) => some.map(({ id }) => id);

describe("a sample of mutants", () => {
  const sample = sampleMutants(mutants, 50, 1);

  it("is the same for a seed, in any order of discovery", () => {
    expect(idsOf(sampleMutants(mutants.toReversed(), 50, 1))).toEqual(idsOf(sample));
    expect(idsOf(sampleMutants(mutants, 50, 2))).not.toEqual(idsOf(sample));
  });

  it("has as many of each category, and within it of each operator", () => {
    for (const category of mutantCategories) {
      const own = sample.filter((mutant) => mutant.category === category);
      expect(own).toHaveLength(10);
      const counts = [...Map.groupBy(own, ({ operator }) => operator).values()].map(({ length }) => length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }
  });

  it("begins with a smaller one", () => {
    expect(idsOf(sampleMutants(mutants, 20, 1))).toEqual(idsOf(sample).slice(0, 20));
  });
});

it("probes observe each expression of a mutant, and its parts within it", () => {
  const source = "const f = () => a && !b;";
  const probes =
    probesByFile(mutantsFromDrafts("lib/x.ts", source, draftConditionMutants(source, "guards"))).get(
      "lib/x.ts",
    ) ?? [];
  const seen: string[] = [];
  const mutationProbe = { evaluated: (name: string) => seen.push(name) };
  const f = new Function("mutationProbe", "a", "b", `${wrapProbedExpressions(source, probes)} return f();`);
  expect(f(mutationProbe, true, false)).toBe(true);
  expect(seen).toEqual(["lib/x.ts:16-23:evaluated", "lib/x.ts:21-23:evaluated"]);
  seen.length = 0;
  expect(f(mutationProbe, false, false)).toBe(false);
  expect(seen).toEqual(["lib/x.ts:16-23:evaluated"]);
});

describe("the report", () => {
  const [one, two, three] = mutants as [Mutant, Mutant, Mutant];
  const by = { project: "repo", file: "tests/repo/guards.test.ts", test: "a test", message: "" };
  const resultsOf = (...all: MutantResult[]) =>
    ({
      of: (id, phase) => all.find((result) => result.id === id && result.phase === phase),
    }) as MutantResultLog;

  it("fails when test:all finds a mutant that npm test does not, and names it", () => {
    const { text, holds } = buildMutationReport(
      [one, two],
      resultsOf(
        { id: one.id, phase: "each", verdict: "found", by },
        { id: two.id, phase: "each", verdict: "missed" },
        { id: two.id, phase: "rest", verdict: "missed" },
        { id: two.id, phase: "all", verdict: "found", by },
      ),
    );
    expect(holds).toBe(false);
    expect(text).toContain("npm test misses 1 of the 2 faults that test:all finds: 50.0 %");
    expect(text).toContain(`- ${two.id} lib/guards.ts:1`);
    expect(text).toContain("found by tests/repo/guards.test.ts: a test");
  });

  it("does not count mutants that neither finds, and fails while one is unknown", () => {
    const found: MutantResult = { id: one.id, phase: "each", verdict: "found", by };
    const missed = (["each", "rest", "all"] as const).map(
      (phase): MutantResult => ({ id: two.id, phase, verdict: "missed" }),
    );
    expect(buildMutationReport([one, two], resultsOf(found, ...missed)).holds).toBe(true);
    expect(buildMutationReport([one, two, three], resultsOf(found, ...missed)).holds).toBe(false);
  });
});
