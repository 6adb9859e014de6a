import { FairLimit } from "../async/fair-limit.ts";
import { memoize } from "../caching/memoize.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { waitForShare } from "../db/wait-for-share.ts";

/**
 * At most half of a process's connections open turns, so that other requests find one. A turn waits for its share and
 * is never refused, since its answer may be there already: the first of a class claims the answer, and the others find
 * it being made. Shares go by network address and account; whoever hangs up leaves the queue, unless the turn is opened
 * again, for then others may wait for its answer.
 */
export const turnLimiter = memoize((_db: Db, config: Pick<Config, "DATABASE_POOL_SIZE">) => {
  const limit = new FairLimit({ atOnce: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 2)) });
  return <Turn>(open: () => Promise<Turn>, isAgain = false): Promise<Turn> =>
    limit.run(() => waitForShare(open), { evenAlone: isAgain });
});
