import { setTimeout as sleep } from "node:timers/promises";
import { isRefused, isUnavailable } from "./unavailable.ts";

const retryWindowMs = 5000;

/**
 * For how long a database that cannot be reached is asked again: some seconds from the first failure on, however long ago it
 * was asked before, since a process may have stood still or had nothing to ask.
 */
export class RetryWindow {
  #failedAt: number | undefined;
  readonly #isPassing: (error: unknown) => boolean;

  constructor(isPassing = isUnavailable) {
    this.#isPassing = isPassing;
  }

  /** It was reached: the next failure is the first again. */
  reset(): void {
    this.#failedAt = undefined;
  }

  /** Whether it may be asked again after this error. */
  allows(error: unknown): boolean {
    this.#failedAt ??= performance.now();
    return this.#isPassing(error) && performance.now() - this.#failedAt <= retryWindowMs;
  }
}

/** Runs what may be run twice until the database can be reached, within the retry window. */
export const retrying = <T>(work: () => Promise<T>): Promise<T> => untilDone(work, new RetryWindow());

/** Runs again what the database refused for now, within the retry window: that was not done, whatever it is. */
export const retryingRefusals = <T>(work: () => Promise<T>): Promise<T> =>
  untilDone(work, new RetryWindow(isRefused));

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
