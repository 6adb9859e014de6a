import { readRepositoryFile } from "./catalog.ts";
import { appendTestFileCoverage, CoverageIndex, readTestFileCoverage } from "./coverage.ts";
import { type Mutant, splitIntoNonOverlappingSets } from "./mutant.ts";
import { TestProcessPool } from "./pool.ts";
import type { MutantResultLog, MutationRunPhase } from "./results.ts";
import type { TestFailure, TestFile } from "./vitest-session.ts";

export type MutationCheckOptions = { jobs: number; coverage: string; say: (line: string) => void };

/**
 * Limits of a mutant's own tests, as measured without mutants. Remaining tests run for all mutants together.
 */
const maxTestsPerMutant = { ms: 25_000, files: 30 };

/**
 * Tests that compare generated files, which a fault's author would regenerate, or the database with its files, of
 * which the check changes only the database.
 */
const comparisons =
  /^tests\/(repo\/(openapi|permissions|spectral|lambda)|processes\/contributing|db\/platform\/(migrate|upgrade-under-load))\.test\.ts$/;

/** Process tests start servers that load the code from disk. */
const isInProcess = ({ project }: TestFile): boolean => project !== "process";

const isBrowser = ({ project }: TestFile): boolean => project === "browser";

const canFind = (file: TestFile): boolean => isInProcess(file) && !comparisons.test(file.file);

const keyOf = ({ project, file }: TestFile): string => `${project} ${file}`;

/**
 * Runs the files of `npm test` once, and records what each reaches. Files that fail without mutants are
 * excluded.
 */
export async function recordCoverage(
  mutants: readonly Mutant[],
  { jobs, coverage, say }: MutationCheckOptions,
): Promise<void> {
  const pool = await TestProcessPool.open(jobs, { tests: "test", bails: false, observes: mutants }, coverage);
  try {
    const known = new Set(readTestFileCoverage(coverage).map(keyOf));
    const files = pool.files.filter((one) => canFind(one) && !isBrowser(one) && !known.has(keyOf(one)));
    const sets = sharingWorkers(files);
    let done = 0;
    await Promise.all(
      sets.map(async (set) => {
        const outcome = await pool.run({ mutants: [], files: set }, 300_000);
        const failures = "failures" in outcome ? outcome.failures : [];
        const seen = new Set(readTestFileCoverage(coverage).map(keyOf));
        const failing = set.filter(
          (file) => failures.some((one) => keyOf(one) === keyOf(file)) || !seen.has(keyOf(file)),
        );
        for (const file of failing)
          appendTestFileCoverage(coverage, {
            ...file,
            ms: 0,
            tests: [],
            probes: {},
            routines: [],
            fails: true,
          });
        for (const { file, test, message } of failures)
          say(`fails without a mutant: ${file} > ${test}: ${message}`);
        done += 1;
        say(`coverage: ${done} of ${sets.length} sets of test files`);
      }),
    );
  } finally {
    await pool.close();
  }
}

/** Sets of one project's files, which share loaded modules. Long `repo` files are alone, and first. */
function sharingWorkers<File extends TestFile>(files: readonly File[]): File[][] {
  const projects = Map.groupBy(files, ({ project }) => project);
  const alone = (projects.get("repo") ?? []).map((file) => [file]);
  projects.delete("repo");
  return [...alone, ...[...projects.values()].flatMap((ofProject) => inChunks(ofProject, 12))];
}

/** Runs each mutant with the test files that reach it. */
export async function runMutantsIndividually(
  mutants: readonly Mutant[],
  results: MutantResultLog,
  options: MutationCheckOptions,
): Promise<void> {
  const open = mutants.filter(({ id }) => !results.of(id, "each"));
  if (open.length === 0) return;
  const reach = new CoverageIndex(readTestFileCoverage(options.coverage));
  const pool = await TestProcessPool.open(options.jobs, { tests: "test", bails: true });
  const began = Date.now();
  let done = 0;
  try {
    await Promise.all(
      open.map(async (mutant) => {
        const reached = reach.filesOf(mutant);
        const files = withinBudget(reached);
        const outcome = await pool.run({ mutants: [mutant], files }, sumOf(files));
        const failure = "failures" in outcome ? outcome.failures[0] : undefined;
        const by = failure && (await isCausedOtherwise(failure, files, pool)) ? undefined : failure;
        const verdict = "invalid" in outcome ? "invalid" : by ? "found" : "missed";
        const message = "invalid" in outcome ? { message: outcome.invalid } : {};
        const counts = { ms: outcome.ms, reached: reached.length, ran: files.length };
        results.add({
          id: mutant.id,
          phase: "each",
          verdict,
          ...(by && { by: named(by) }),
          ...message,
          ...counts,
        });
        done += 1;
        const left = ((Date.now() - began) / done) * (open.length - done);
        options.say(
          `${done} of ${open.length}, ${Math.ceil(left / 60_000)} min left: ${mutant.id} ${mutant.file}:${mutant.line} ${mutant.operator}: ${verdict} in ${(outcome.ms / 1000).toFixed(1)} s${by ? ` by ${by.file}` : ` (${files.length} of ${reached.length} files)`}`,
        );
      }),
    );
  } finally {
    await pool.close();
  }
}

/** Removes the other failed tests. */
const named = ({ project, file, test, message }: TestFailure): TestFailure => ({
  project,
  file,
  test,
  message,
});

/** Failures that a busy machine may also cause. */
const isOfTime = ({ test, message }: TestFailure): boolean =>
  test === "no test ended" || /time|ECONN|socket/i.test(message);

const failsAnyway = async (file: TestFile, pool: TestProcessPool): Promise<boolean> => {
  const outcome = await pool.run({ mutants: [], files: [file] }, 300_000);
  return "failures" in outcome && outcome.failures.length > 0;
};

/** True if the failure may have another reason (time, or excluded tests) and occurs without the mutant. */
async function isCausedOtherwise(
  failure: TestFailure,
  files: readonly TestFile[],
  pool: TestProcessPool,
): Promise<boolean> {
  const file = files.find((one) => keyOf(one) === keyOf(failure));
  return file !== undefined && (isOfTime(failure) || file.only !== undefined) && failsAnyway(file, pool);
}

const sumOf = (files: readonly { ms: number }[]): number => files.reduce((sum, { ms }) => sum + ms, 0);

/** The first files within the budget, grouped by project, pure ones first. */
function withinBudget<File extends TestFile & { ms: number }>(reached: readonly File[]): File[] {
  const chosen: File[] = [];
  for (const file of reached) {
    if (
      chosen.length >= maxTestsPerMutant.files ||
      (chosen.length > 0 && sumOf(chosen) + file.ms > maxTestsPerMutant.ms)
    )
      continue;
    chosen.push(file);
  }
  const projects = ["pure", ...new Set(chosen.map(({ project }) => project))];
  return chosen.toSorted((one, other) => projects.indexOf(one.project) - projects.indexOf(other.project));
}

/** Runs missed mutants together, with the other tests of `npm test` that reach them. */
export async function runMissedWithOtherTests(
  mutants: readonly Mutant[],
  results: MutantResultLog,
  options: MutationCheckOptions,
): Promise<void> {
  const missed = mutants.filter(({ id }) => results.of(id, "each")?.verdict === "missed");
  const reach = new CoverageIndex(readTestFileCoverage(options.coverage));
  const others = new Map(
    missed.map((mutant) => {
      const reached = reach.filesOf(mutant);
      const ran = new Set(withinBudget(reached).map(keyOf));
      return [mutant.id, new Set(reached.map(keyOf).filter((key) => !ran.has(key)))];
    }),
  );
  const concerns = (mutant: Mutant, file: TestFile) =>
    isBrowser(file) || others.get(mutant.id)?.has(keyOf(file));
  await runTogether("rest", "test", missed, () => true, concerns, results, options);
}

/** Runs mutants that `npm test` misses together, with the additional tests of `test:all`. */
export async function runMissedWithAllTests(
  mutants: readonly Mutant[],
  results: MutantResultLog,
  options: MutationCheckOptions,
): Promise<void> {
  const missed = mutants.filter(({ id }) => results.of(id, "rest")?.verdict === "missed");
  const known = new Set(readTestFileCoverage(options.coverage).map(keyOf));
  const isFurther = (file: TestFile) => (isBrowser(file) ? true : !known.has(keyOf(file)) || isReduced(file));
  await runTogether("all", "test:all", missed, isFurther, () => true, results, options);
}

/** True if `npm test` runs only part of a file. */
const isReduced = ({ file }: TestFile): boolean =>
  /representatives|exhaustive/.test(readRepositoryFile(file));

/**
 * Runs files with many mutants: if all pass, none is found. After a failure, bisection finds the responsible
 * mutants, which later files run without. Short files come first, so that few mutants are left for the long ones.
 */
async function runTogether(
  phase: MutationRunPhase,
  tests: "test" | "test:all",
  mutants: readonly Mutant[],
  isWanted: (file: TestFile) => boolean,
  concerns: (mutant: Mutant, file: TestFile) => boolean | undefined,
  results: MutantResultLog,
  { jobs, say }: MutationCheckOptions,
): Promise<void> {
  const isOpen = ({ id }: Mutant): boolean => !results.of(id, phase);
  const open = mutants.filter(isOpen);
  if (open.length === 0) return;
  const pool = await TestProcessPool.open(jobs, { tests, bails: false });
  const run = (some: readonly Mutant[], files: TestFile[]) =>
    pool.run({ mutants: [...some], files }, 180_000);
  try {
    const files = pool.files.filter((file) => canFind(file) && isWanted(file));
    for (const set of splitIntoNonOverlappingSets(open)) {
      const concerned = files.filter((file) => set.some((mutant) => concerns(mutant, file)));
      say(`${phase}: ${set.length} mutants at once, ${concerned.length} test files`);
      const waiting = sharingWorkers(concerned).toSorted((one, other) => placeOf(one) - placeOf(other));
      const runNext = async (): Promise<void> => {
        const chunk = waiting.shift();
        if (!chunk) return;
        const outcome = await run(set.filter(isOpen), chunk);
        for (const failure of "failures" in outcome ? outcome.failures : []) {
          const suspects = set.filter((mutant) => isOpen(mutant) && concerns(mutant, failure));
          say(`${phase}: ${failure.file} fails with ${suspects.length} mutants: ${failure.test}`);
          const { project, file, only } = failure;
          const failing = only && { project, file, only };
          // Most tests fail alone as they do with the rest of their file.
          const isEnough = failing && !(await failsAnyway(failing, pool));
          if (!isEnough && (await failsAnyway({ project, file }, pool))) {
            say(`fails without a mutant: ${file}`);
            continue;
          }
          const files = [isEnough ? failing : { project, file }];
          const blaming: Blaming = {
            run: (some) => run(some, files),
            isOpen,
            onFound: ({ id }, by) => results.add({ id, phase, verdict: "found", by: named(by) }),
          };
          await blame(suspects, blaming);
          // The coverage run misses some of what a file reaches, such as views.
          const others = set.filter((mutant) => !suspects.includes(mutant));
          if (suspects.every(isOpen)) await blame(others, blaming);
        }
        await runNext();
      };
      await Promise.all(Array.from({ length: jobs }, runNext));
      for (const { id } of set.filter(isOpen)) results.add({ id, phase, verdict: "missed" });
    }
  } finally {
    await pool.close();
  }
}

/** Generated suites are long. The coverage run does not record which mutants a browser test reaches. */
const last = ["repo", "browser"];

const placeOf = ([first]: readonly TestFile[]): number => last.indexOf(first?.project ?? "");

type Blaming = {
  run(mutants: readonly Mutant[]): ReturnType<TestProcessPool["run"]>;
  isOpen(mutant: Mutant): boolean;
  onFound(mutant: Mutant, by: TestFailure): void;
};

/** Bisects the mutants that a file finds. Skips mutants that another run has found since. */
async function blame(suspects: readonly Mutant[], { run, isOpen, onFound }: Blaming): Promise<void> {
  const open = suspects.filter(isOpen);
  if (open.length === 0) return;
  const outcome = await run(open);
  const failure = "failures" in outcome ? outcome.failures[0] : undefined;
  if (!failure) return;
  const [first] = open;
  if (open.length === 1 && first) return onFound(first, failure);
  const half = Math.ceil(open.length / 2);
  await blame(open.slice(0, half), { run, isOpen, onFound });
  await blame(open.slice(half), { run, isOpen, onFound });
}

const inChunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
