import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import type { TestProcessMessage, TestProcessSettings } from "./job.ts";
import type { Mutant } from "./mutant.ts";
import type { TestFile, TestRunOutcome } from "./vitest-session.ts";

export type TestRunRequest = { mutants: Mutant[]; files: TestFile[] };

/** Time until a run counts as hung, relative to its duration without mutants. */
const patience = { atLeast: 150_000, times: 5 };

/** Processes that run one task at a time. A hung process is killed and replaced. */
export class TestProcessPool {
  readonly #settings: TestProcessSettings;
  readonly #coverage: string | undefined;
  readonly #idle: Job[] = [];
  readonly #all: Job[] = [];
  readonly #waiting: ((job: Job) => void)[] = [];

  private constructor(settings: TestProcessSettings, coverage: string | undefined) {
    this.#settings = settings;
    this.#coverage = coverage;
  }

  /** `coverage`: the file that a coverage run writes. */
  static async open(
    jobs: number,
    settings: TestProcessSettings,
    coverage?: string,
  ): Promise<TestProcessPool> {
    const pool = new TestProcessPool(settings, coverage);
    for (let count = 0; count < jobs; count += 1) pool.#idle.push(await pool.#start());
    return pool;
  }

  get files(): TestFile[] {
    return this.#all[0]?.files ?? [];
  }

  /** `expected`: the files' duration without mutants, in milliseconds. */
  async run({ mutants, files }: TestRunRequest, expected: number): Promise<TestRunOutcome> {
    const job = this.#idle.pop() ?? (await new Promise<Job>((resolve) => this.#waiting.push(resolve)));
    const began = Date.now();
    const limit = Math.max(patience.atLeast, patience.times * expected);
    let ready = job;
    try {
      return await job.ask<TestRunOutcome>({ mutants, files }, limit);
    } catch (error) {
      await job.kill();
      ready = await this.#start();
      const [file = { project: "", file: "" }] = files;
      const message = error instanceof Error ? error.message : String(error);
      return { failures: [{ ...file, test: "no test ended", message }], ms: Date.now() - began };
    } finally {
      const next = this.#waiting.shift();
      if (next) next(ready);
      else this.#idle.push(ready);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((job) => job.close()));
  }

  async #start(): Promise<Job> {
    const job = new Job(this.#settings.tests, this.#coverage);
    await job.open(this.#settings);
    this.#all.push(job);
    return job;
  }
}

class Job {
  readonly #process: ChildProcess;
  files: TestFile[] = [];

  constructor(tests: string, coverage: string | undefined) {
    this.#process = fork(path.join(import.meta.dirname, "job.ts"), {
      // A separate process group, so its workers and PostgreSQL end with it.
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, MUTATION_TESTS: tests, ...(coverage && { MUTATION_COVERAGE: coverage }) },
    });
  }

  async open(settings: TestProcessSettings): Promise<void> {
    this.files = await this.ask<TestFile[]>({ settings }, 300_000);
  }

  ask<Answer>(request: TestProcessMessage, limit: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        this.#process.off("message", onMessage).off("exit", onExit);
      };
      const onMessage = (message: { value?: Answer; error?: string }) => {
        done();
        if (message.error) reject(new Error(message.error));
        else resolve(message.value as Answer);
      };
      const onExit = () => {
        done();
        reject(new Error("the process of the tests ended"));
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`nothing for ${Math.round(limit / 1000)} s`));
      }, limit);
      this.#process.on("message", onMessage).on("exit", onExit);
      this.#process.send(request);
    });
  }

  async kill(): Promise<void> {
    const ended = this.#ended();
    if (this.#process.pid && this.#process.exitCode === null) process.kill(-this.#process.pid, "SIGKILL");
    await ended;
  }

  async close(): Promise<void> {
    const ended = this.#ended();
    if (this.#process.connected) this.#process.disconnect();
    await ended;
  }

  #ended(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => this.#process.once("exit", () => resolve()));
  }
}
