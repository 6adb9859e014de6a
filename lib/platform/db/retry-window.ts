import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseBusy, isDatabaseUnavailable } from "./unavailable.ts";

const retryWindowMs = 5000;

/** Retries for some seconds from the first failure, not the last success: the process may have slept. */
export class RetryWindow {
  #failedAt: number | undefined;
  readonly #isPassing: (error: unknown) => boolean;

  constructor(isPassing = isDatabaseUnavailable) {
    this.#isPassing = isPassing;
  }

  /** After a success, the next failure opens a new window. */
  reset(): void {
    this.#failedAt = undefined;
  }

  allows(error: unknown): boolean {
    this.#failedAt ??= performance.now();
    return this.#isPassing(error) && performance.now() - this.#failedAt <= retryWindowMs;
  }
}

/** Runs idempotent work until the database is reachable. */
export const retryWhileUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  untilDone(work, new RetryWindow());

/** A refused statement did nothing, so any work may be retried. */
export const retryWhileBusy = <T>(work: () => Promise<T>): Promise<T> =>
  untilDone(work, new RetryWindow(isDatabaseBusy));

async function untilDone<T>(work: () => Promise<T>, window: RetryWindow): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!window.allows(error)) throw error;
      await sleep(250);
    }
  }
}
