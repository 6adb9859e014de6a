import path from "node:path";
import pg from "pg";
import { createVitest, type TestModule, type TestSpecification, type Vitest } from "vitest/node";
import { readRepositoryFile, repositoryRoot } from "./catalog.ts";
import { applyEdits, type Mutant } from "./mutant.ts";
import { injectedMutantsAndProbes } from "./plugin.ts";
import { findSqlRoutines } from "./sql-text.ts";
import { ensureParses } from "./syntax.ts";

/** `only`: full names of the tests to run. */
export type TestFile = { project: string; file: string; only?: string[] };

/** A file's first failed test; `test` is empty for a failure outside tests; `only`: all failed tests. */
export type TestFailure = TestFile & { test: string; message: string };

/** A run's result; `invalid`: the mutant is rejected by TypeScript or PostgreSQL. */
export type TestRunOutcome = { ms: number } & ({ invalid: string } | { failures: TestFailure[] });

/** A persistent Vitest, which reloads only a mutant's file and keeps its database. */
export class VitestSession {
  readonly #vitest: Vitest;
  readonly #specifications: ReadonlyMap<string, TestSpecification>;
  #ended: { modules: readonly TestModule[]; errors: readonly unknown[] } | undefined;

  private constructor(vitest: Vitest, specifications: readonly TestSpecification[]) {
    this.#vitest = vitest;
    this.#specifications = new Map(
      specifications.map((one) => [keyOf({ project: one.project.name, file: relative(one.moduleId) }), one]),
    );
  }

  /** `bails`: stops at the first failure. */
  static async open({ bails }: { bails: boolean }): Promise<VitestSession> {
    process.chdir(repositoryRoot);
    let session: VitestSession | undefined;
    const vitest = await createVitest("test", {
      config: path.join(import.meta.dirname, "vitest.config.ts"),
      root: repositoryRoot,
      configLoader: "native",
      watch: false,
      bail: bails ? 1 : 0,
      reporters: [
        {
          onTestRunEnd(modules, errors) {
            if (session) session.#ended = { modules, errors };
          },
        },
      ],
    });
    session = new VitestSession(vitest, await vitest.globTestSpecifications());
    return session;
  }

  files(): TestFile[] {
    return [...this.#specifications.keys()].map(fileOfKey);
  }

  async run(mutants: readonly Mutant[], files: readonly TestFile[]): Promise<TestRunOutcome> {
    const began = Date.now();
    const took = () => Date.now() - began;
    const restore = await this.#apply(mutants).catch((error: Error) => error);
    if (restore instanceof Error) return { invalid: restore.message, ms: took() };
    try {
      this.#forget();
      const specifications = files.flatMap((file) => this.#specificationOf(file) ?? []);
      await this.#vitest.runTestSpecifications(specifications);
      return { failures: failuresOf(this.#ended), ms: took() };
    } finally {
      await restore();
    }
  }

  #specificationOf(file: TestFile): TestSpecification | undefined {
    const whole = this.#specifications.get(keyOf(file));
    if (!whole || !file.only) return whole;
    return whole.project.createSpecification(whole.moduleId, { testNames: file.only });
  }

  async close(): Promise<void> {
    await this.#vitest.cancelCurrentRun("keyboard-input");
    await this.#vitest.close();
  }

  /** Clears earlier failures, which would count for the next run. */
  #forget(): void {
    this.#ended = undefined;
    this.#vitest.state.filesMap.clear();
    this.#vitest.state.idMap.clear();
  }

  async #apply(mutants: readonly Mutant[]): Promise<() => Promise<void>> {
    const invalidate = () => {
      for (const file of new Set(mutants.filter(({ probe }) => probe).map(({ file }) => file)))
        this.#vitest.invalidateFile(path.join(repositoryRoot, file));
    };
    for (const [file, changed] of Map.groupBy(mutants, ({ file }) => file))
      if (file.endsWith(".ts"))
        ensureParses(
          applyEdits(
            readRepositoryFile(file),
            changed.map(({ edit }) => edit),
          ),
        );
    const statements = await this.#statements(mutants);
    await this.#define(statements.map(({ mutated }) => mutated)).catch(async (error: Error) => {
      await this.#define(statements.map(({ original }) => original));
      throw error;
    });
    injectedMutantsAndProbes.mutants = mutants;
    invalidate();
    return async () => {
      injectedMutantsAndProbes.mutants = [];
      invalidate();
      await this.#define(statements.map(({ original }) => original));
    };
  }

  /** Definitions of mutated routines, original and changed. */
  async #statements(mutants: readonly Mutant[]): Promise<{ original: string; mutated: string }[]> {
    const inRoutines = mutants.filter(({ routine }) => routine);
    return [...Map.groupBy(inRoutines, ({ file }) => file)].flatMap(([file, changed]) => {
      const text = readRepositoryFile(file);
      return findSqlRoutines(text).flatMap(({ start, end }) => {
        const edits = changed
          .map(({ edit }) => edit)
          .filter((edit) => start <= edit.start && edit.end <= end);
        if (edits.length === 0) return [];
        const moved = edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
        const original = text.slice(start, end);
        return [{ original, mutated: applyEdits(original, moved) }];
      });
    });
  }

  /** Runs in the tests' template database, which must have no connections when it is copied. */
  async #define(statements: readonly string[]): Promise<void> {
    if (statements.length === 0) return;
    const client = new pg.Client(await this.#templateUrl());
    await client.connect();
    try {
      await client.query(statements.join(";\n"));
    } finally {
      await client.end();
    }
  }

  async #templateUrl(): Promise<string> {
    const withDatabase = this.#vitest.projects.find(({ name }) => name === "db");
    // Vitest does this at the first run of the project, but the template is changed before that.
    await (withDatabase as unknown as { _initializeGlobalSetup(): Promise<void> })._initializeGlobalSetup();
    return this.#vitest.getRootProject().getProvidedContext().templateUrl;
  }

  /** Enables PostgreSQL's function statistics for the coverage run. */
  async countCalls(): Promise<void> {
    await this.#define(["alter system set track_functions = 'all'"]);
    await this.#define(["select pg_reload_conf()"]);
  }
}

const relative = (moduleId: string): string => path.relative(repositoryRoot, moduleId);
const keyOf = ({ project, file }: TestFile): string => `${project} ${file}`;
const fileOfKey = (key: string): TestFile => {
  const [project = "", file = ""] = key.split(" ");
  return { project, file };
};

type Ended = { modules: readonly TestModule[]; errors: readonly unknown[] } | undefined;

function failuresOf(ended: Ended): TestFailure[] {
  if (!ended) throw new Error("The tests did not run");
  const failures = ended.modules.flatMap((one): TestFailure[] => {
    const file = { project: one.project.name, file: relative(one.moduleId) };
    const all = [...one.children.allTests("failed")];
    const [failed] = all;
    if (failed) {
      const message = short(failed.result().errors?.[0]?.message);
      return [{ ...file, only: all.map(({ fullName }) => fullName), test: failed.fullName, message }];
    }
    const errors = [...one.errors(), ...[...one.children.allSuites()].flatMap((suite) => suite.errors())];
    if (one.state() !== "failed" && errors.length === 0) return [];
    return [{ ...file, test: "", message: short(errors[0]?.message) }];
  });
  const [error] = ended.errors;
  if (failures.length > 0 || !error) return failures;
  const message = short(String((error as Error).message));
  return [{ project: "", file: "", test: "outside of a test", message }];
}

const short = (message = ""): string => message.split("\n")[0]?.slice(0, 160) ?? "";
