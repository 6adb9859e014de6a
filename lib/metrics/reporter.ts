import { randomUUID } from "node:crypto";
import type { Db } from "../db/client.ts";
import { describeError, type Logger } from "../logging/log.ts";
import type { Counts } from "./metrics.ts";
import { addBatch, type Batch, removeInstance } from "./store.ts";

/** Reports what this instance counted to the store that all share, and what it noted besides, such as whom it refused something. */
export type Reporter = {
  /** Stores what was counted up to now; a failure is logged and made good by a later report. */
  report(): Promise<void>;
  /** Stores the rest, and takes the instance out of the gauge. */
  close(): Promise<void>;
};

/** What is noted in memory, and written with the metrics. */
type Noted = { store(db: Db): Promise<void> };

/** What is reported: no counts where nothing is measured, and by their names what is noted besides. */
type Reported = { counts?: Counts | undefined; besides: Readonly<Record<string, Noted>> };

/** What is counted is stored this often: as much is lost when an instance is killed. */
const REPORT_INTERVAL_MS = 5000;

/**
 * Reports every few seconds, beside the requests and never in one. On Lambda the clock stands still between two
 * invocations: a report that is due goes out when the next one begins, and the last one when the instance ends.
 */
export function startReporter({ counts, besides }: Reported, db: Db, log: Logger): Reporter {
  const instance = randomUUID();
  let number = 0;
  let reportedInProgress = 0;
  let unsent: Batch | undefined;
  let queue = Promise.resolve();
  let waiting = 0;

  function nextBatch(): Batch | undefined {
    if (!counts) return undefined;
    const requestsInProgress = counts.requestsInProgress();
    const gaugeIsCurrent = requestsInProgress === 0 && reportedInProgress === 0;
    if (gaugeIsCurrent && counts.tally.isEmpty()) return undefined;
    number += 1;
    return { instance, number, requestsInProgress, additions: counts.tally.take() };
  }

  /** A batch whose fate is unknown is sent again as it was, under its own number, before a new one. */
  async function send(): Promise<void> {
    unsent ??= nextBatch();
    if (!unsent) return;
    await addBatch(db, unsent);
    reportedInProgress = unsent.requestsInProgress;
    unsent = undefined;
  }

  async function sendAll(): Promise<void> {
    if (unsent) await send();
    await send();
  }

  const notStored = (what: string) => (error: unknown) =>
    log.warn({ error: describeError(error) }, `${what} not stored, will be sent again`);

  /** What cannot be stored keeps nothing else from it. */
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
