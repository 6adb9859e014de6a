import DataLoader from "dataloader";
import { memoize } from "../caching/memoize.ts";
import type { ReadDb } from "./client.ts";
import { measureRoundTrip, queryStatsStorage } from "./driver/observe.ts";
import { isInPipeline, runOutsidePipelines } from "./driver/pipelined-batch.ts";

/** A statement for more would delay the first of them. */
const maxBatchSize = 100;

type Lookup<Key, Found> = {
  /** The shared statement uses this operation's share of the connections. The log names the first request. */
  operation: string;
  /** Returns a value for each key, in order. */
  findAll(db: ReadDb, keys: readonly Key[]): Promise<Found[]>;
};

/**
 * A lookup that shares one statement with those of other requests that wait at the same moment. In a pipelined
 * batch it has its own. Keys are equal if their JSON is.
 */
export function createBatchedLookup<Key, Found>({
  operation,
  findAll,
}: Lookup<Key, Found>): (db: ReadDb, key: Key) => Promise<Found> {
  const findOutsideRequests = (db: ReadDb, keys: readonly Key[]) =>
    runOutsidePipelines(() =>
      queryStatsStorage.run({ ...queryStatsStorage.getStore(), count: 0, duration_ms: 0, operation }, () =>
        findAll(db, keys),
      ),
    );
  const loaderOf = memoize((db: ReadDb) => {
    const loader = new DataLoader<Key, Found, string>(
      (keys) => {
        // Later requests must not get what was found before they came.
        loader.clearAll();
        return findOutsideRequests(db, keys);
      },
      {
        cacheKeyFn: (key) => JSON.stringify(key),
        maxBatchSize,
        batchScheduleFn: (send) => setImmediate(send),
      },
    );
    return loader;
  });
  return async (db, key) => {
    if (!isInPipeline()) return measureRoundTrip(() => loaderOf(db).load(key));
    const [found] = await findAll(db, [key]);
    return found as Found;
  };
}
