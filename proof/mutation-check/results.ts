import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Failure } from "./session.ts";

/** `each`: by itself, with the tests that reach it; `rest` and `all`: together with others, as check.ts says. */
export type Phase = "each" | "rest" | "all";

export type Result = {
  id: string;
  phase: Phase;
  verdict: "found" | "missed" | "invalid";
  by?: Failure;
  message?: string;
  ms?: number;
  /** How many test files reach it, and how many of them ran. */
  reached?: number;
  ran?: number;
};

/** What was found so far: a file that grows by a line for each mutant, so that a stopped check goes on. */
export class Results {
  readonly #file: string;
  readonly #known = new Map<string, Result>();

  constructor(file: string) {
    this.#file = file;
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
    for (const line of lines) this.#keep(JSON.parse(line));
  }

  add(result: Result): void {
    this.#keep(result);
    appendFileSync(this.#file, `${JSON.stringify(result)}\n`);
  }

  of(id: string, phase: Phase): Result | undefined {
    return this.#known.get(`${phase} ${id}`);
  }

  #keep(result: Result): void {
    this.#known.set(`${result.phase} ${result.id}`, result);
  }
}
