import type { Config } from "../../config.ts";
import { FairLimit } from "../../platform/async/fair-limit.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import type { Db } from "../../platform/db/client.ts";
import { runWithoutConnectionTimeout } from "../../platform/db/wait-for-connection.ts";

/**
 * Opening turns uses at most half of a process's connections. Turns queue instead of failing, as their answer
 * may exist already: the first of a class claims it. The queue is fair by network and account. Disconnected
 * clients leave it, except when reopening a turn, since others may wait for its answer.
 */
export const turnLimiter = memoize((_db: Db, config: Pick<Config, "DATABASE_POOL_SIZE">) => {
  const limit = new FairLimit({ atOnce: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 2)) });
  return <Turn>(open: () => Promise<Turn>, isAgain = false): Promise<Turn> =>
    limit.run(() => runWithoutConnectionTimeout(open), { evenAlone: isAgain });
});
