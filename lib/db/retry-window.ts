import { setTimeout as sleep } from "node:timers/promises";
import { isRefused, isUnavailable } from "./unavailable.ts";

const patienceMs = 5000;

/**
 * For how long a database that cannot be reached is borne: some seconds from the first failure on, however long ago it
 * was asked before, since a process may have stood still or had nothing to ask.
 */
export class Patience {
  #failedAt: number | undefined;
  readonly #isPassing: (error: unknown) => boolean;

  constructor(isPassing = isUnavailable) {
    this.#isPassing = isPassing;
  }

  /** It was reached: the next failure is the first again. */
  renew(): void {
    this.#failedAt = undefined;
  }

  /** Whether it may be asked again after this error. */
  bears(error: unknown): boolean {
    this.#failedAt ??= performance.now();
    return this.#isPassing(error) && performance.now() - this.#failedAt <= patienceMs;
  }
}

/** Runs what may be run twice until the database can be reached, for as long as patience lasts. */
export const persistently = <T>(work: () => Promise<T>): Promise<T> => untilDone(work, new Patience());

/** Runs again what the database refused for now, for as long as patience lasts: that was not done, whatever it is. */
export const untilTaken = <T>(work: () => Promise<T>): Promise<T> => untilDone(work, new Patience(isRefused));

async function untilDone<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!patience.bears(error)) throw error;
      await sleep(250);
    }
  }
}
