import { randomUUID } from "node:crypto";
import type { Db } from "../db/client.ts";
import { describeError, type Logger } from "../logging/log.ts";
import type { MetricTallyAndInProgress } from "./metrics.ts";
import { type MetricBatch, removeInstance, storeMetricBatch } from "./store.ts";

/** Writes counts and other buffers, such as 403s, to the database. */
export type Reporter = {
  /** A failure is logged; a later report retries. */
  report(): Promise<void>;
  /** Stores the rest, and removes the instance from the gauge. */
  close(): Promise<void>;
};

type Noted = { store(db: Db): Promise<void> };

/** Counts, unless metrics are off, and other buffers by name. */
type Reported = { counts?: MetricTallyAndInProgress | undefined; besides: Readonly<Record<string, Noted>> };

/** Also the most that is lost if an instance is killed. */
const REPORT_INTERVAL_MS = 5000;

/**
 * Reports every few seconds, outside requests. On Lambda, timers stop between invocations: a due report is
 * sent at the next one, the last at shutdown.
 */
export function startReporter({ counts, besides }: Reported, db: Db, log: Logger): Reporter {
  const instance = randomUUID();
  let number = 0;
  let reportedInProgress = 0;
  let unsent: MetricBatch | undefined;
  let queue = Promise.resolve();
  let waiting = 0;

  function nextBatch(): MetricBatch | undefined {
    if (!counts) return undefined;
    const requestsInProgress = counts.requestsInProgress();
    const gaugeIsCurrent = requestsInProgress === 0 && reportedInProgress === 0;
    if (gaugeIsCurrent && counts.tally.isEmpty()) return undefined;
    number += 1;
    return { instance, number, requestsInProgress, additions: counts.tally.take() };
  }

  /** A batch with an unknown result is sent again first, under its own number. */
  async function send(): Promise<void> {
    unsent ??= nextBatch();
    if (!unsent) return;
    await storeMetricBatch(db, unsent);
    reportedInProgress = unsent.requestsInProgress;
    unsent = undefined;
  }

  async function sendAll(): Promise<void> {
    if (unsent) await send();
    await send();
  }

  const notStored = (what: string) => (error: unknown) =>
    log.warn({ error: describeError(error) }, `${what} not stored, will be sent again`);

  /** A failed write does not stop the other buffers. */
  async function storeBesides(): Promise<void> {
    for (const [name, noted] of Object.entries(besides)) await noted.store(db).catch(notStored(name));
  }

  function report(): Promise<void> {
    waiting += 1;
    queue = queue
      .then(sendAll)
      .catch(notStored("metrics"))
      .then(storeBesides)
      .finally(() => {
        waiting -= 1;
      });
    return queue;
  }

  const timer = setInterval(() => {
    if (waiting === 0) void report();
  }, REPORT_INTERVAL_MS).unref();
  return {
    report,
    async close() {
      clearInterval(timer);
      await report();
      if (number > 0) await removeInstance(db, instance).catch(() => undefined);
    },
  };
}
