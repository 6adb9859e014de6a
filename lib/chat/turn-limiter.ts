import { FairLimit } from "../async/fair-limit.ts";
import { memoize } from "../caching/memoize.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { waitForShare } from "../db/wait-for-share.ts";

/**
 * At most half of a process's connections open turns, so that other requests find one: whoever of a class comes first claims
 * the answer, and the others find it being made. An opening waits for its share and is never refused, since the answer may
 * be there already. Turns go by network address and account, and whoever hangs up leaves the queue; of a turn that is
 * opened again others may wait for the answer.
 */
export const turnLimiter = memoize((_db: Db, config: Pick<Config, "DATABASE_POOL_SIZE">) => {
  const limit = new FairLimit({ atOnce: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 2)) });
  return <Turn>(open: () => Promise<Turn>, isAgain = false): Promise<Turn> =>
    limit.run(() => waitForShare(open), { evenAlone: isAgain });
});
