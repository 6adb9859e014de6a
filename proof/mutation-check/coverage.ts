import { appendFileSync, existsSync, globSync, readFileSync } from "node:fs";
import { readRepositoryFile, repositoryRoot } from "./catalog.ts";
import type { Mutant } from "./mutant.ts";
import { nameOfProbe } from "./probes.ts";
import { blankCommentsAndStrings, findSqlRoutines } from "./sql-text.ts";
import type { TestFile } from "./vitest-session.ts";

/** A test file's reach and duration in the coverage run; `fails`: even without a mutant. */
export type TestFileCoverage = TestFile & {
  ms: number;
  tests: string[];
  /** Indexes of the tests that reach each probe; empty if only hooks do. */
  probes: Record<string, number[]>;
  routines: string[];
  fails?: true;
};

/** Each test file's latest entry. */
export function readTestFileCoverage(file: string): TestFileCoverage[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const reaches = lines.map((line): TestFileCoverage => JSON.parse(line));
  return [...new Map(reaches.map((reach) => [`${reach.project} ${reach.file}`, reach])).values()];
}

export const appendTestFileCoverage = (file: string, reach: TestFileCoverage): void =>
  appendFileSync(file, `${JSON.stringify(reach)}\n`);

/** Routines named in routines: PostgreSQL does not count calls that it inlines. */
function namedIn(): Map<string, string[]> {
  const bodies = globSync("schema/functions/*/*.sql", { cwd: repositoryRoot }).flatMap((file) => {
    const text = readRepositoryFile(file);
    return findSqlRoutines(text).map(({ name, start, end }) => ({
      name,
      body: blankCommentsAndStrings(text.slice(start, end)),
    }));
  });
  const names = new Set(bodies.map(({ name }) => name));
  return new Map(
    bodies.map(({ name, body }) => {
      const words = [...body.matchAll(/[a-z_]\w*/g)].map(([word]) => word);
      return [name, [...new Set(words)].filter((word) => word !== name && names.has(word))];
    }),
  );
}

/** A test file to run with a mutant, with its expected duration. */
export type SelectedTestFile = TestFile & { ms: number };

type Reaching = TestFileCoverage & { all: ReadonlySet<string> };

/** Finds test files that reach a mutant, most promising first. */
export class CoverageIndex {
  readonly #reaches: readonly Reaching[];

  constructor(reaches: readonly TestFileCoverage[]) {
    const named = namedIn();
    this.#reaches = reaches
      .filter(({ fails }) => !fails)
      .map((reach) => {
        const direct = reach.routines.filter((name) => named.has(name));
        return { ...reach, all: new Set([...direct, ...direct.flatMap((name) => named.get(name) ?? [])]) };
      });
  }

  filesOf(mutant: Mutant): SelectedTestFile[] {
    const probe = mutant.probe && nameOfProbe(mutant.file, mutant.probe);
    const isReached = (reach: Reaching) =>
      probe ? probe in reach.probes : reach.all.has(mutant.routine ?? "");
    const words = wordsOf(mutant.file);
    const costOf = ({ file, ms }: SelectedTestFile) =>
      ms / (1 + 4 * [...wordsOf(file)].filter((word) => words.has(word)).length);
    return this.#reaches
      .filter(isReached)
      .map((reach) => chosenOf(reach, probe))
      .toSorted((one, other) => costOf(one) - costOf(other));
  }
}

/** Preparation time of a generated suite. */
const preparation = 4000;

/** Generated suites have thousands of requests, so only tests that reach the mutant run. */
function chosenOf(
  { project, file, ms, tests, probes }: TestFileCoverage,
  probe: string | undefined,
): SelectedTestFile {
  const reaching = probe && project === "repo" ? probes[probe] : undefined;
  if (!reaching) return { project, file, ms };
  const only = reaching.length > 0 ? reaching.map((at) => tests[at] ?? "") : tests.slice(0, 1);
  return { project, file, only, ms: preparation + (ms * only.length) / tests.length };
}

const places = new Set([
  "lib",
  "functions",
  "schema",
  "tests",
  "api",
  "unit",
  "db",
  "repo",
  "test",
  "ts",
  "sql",
  "of",
  "in",
]);

/** The words of a file's path that describe its subject. */
const wordsOf = (file: string): Set<string> =>
  new Set(
    file
      .split(/[^a-z]+/)
      .filter((word) => word && !places.has(word))
      .map((word) => word.replace(/s$/, "")),
  );
