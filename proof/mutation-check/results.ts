import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { TestFailure } from "./vitest-session.ts";

/** `each`: alone with the tests that reach it; `rest` and `all`: together with others (check.ts). */
export type MutationRunPhase = "each" | "rest" | "all";

export type MutantResult = {
  id: string;
  phase: MutationRunPhase;
  verdict: "found" | "missed" | "invalid";
  by?: TestFailure;
  message?: string;
  ms?: number;
  /** Number of test files that reach it, and that ran. */
  reached?: number;
  ran?: number;
};

/** Results so far, appended to a file per mutant, so an interrupted check resumes. */
export class MutantResultLog {
  readonly #file: string;
  readonly #known = new Map<string, MutantResult>();

  constructor(file: string) {
    this.#file = file;
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
    for (const line of lines) this.#keep(JSON.parse(line));
  }

  add(result: MutantResult): void {
    this.#keep(result);
    appendFileSync(this.#file, `${JSON.stringify(result)}\n`);
  }

  of(id: string, phase: MutationRunPhase): MutantResult | undefined {
    return this.#known.get(`${phase} ${id}`);
  }

  #keep(result: MutantResult): void {
    this.#known.set(`${result.phase} ${result.id}`, result);
  }
}
