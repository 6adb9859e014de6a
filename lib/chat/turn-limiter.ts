import { FairLimit } from "../async/fair-limit.ts";
import { memoize } from "../caching/memoize.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { waitForShare } from "../db/wait-for-share.ts";

/**
 * Opens turns, by half of a process's connections at once: whoever of a class came first claims the answer while the
 * others still come, and these find it being made, so that no claim of theirs is needed. A far database would answer more
 * with eight of ten on their way, and has half all the same: no operation holds more, whatever it waits for. An opening is
 * never refused for what else is sent for messages, since the answer may be there already. Who waits has their turn by
 * network address and account, and whoever hangs up leaves; of a turn that is opened again others may wait for the answer.
 */
export const turnLimiter = memoize((_db: Db, config: Pick<Config, "DATABASE_POOL_SIZE">) => {
  const limit = new FairLimit({ atOnce: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 2)) });
  return <Turn>(open: () => Promise<Turn>, isAgain = false): Promise<Turn> =>
    limit.run(() => waitForShare(open), { evenAlone: isAgain });
});
