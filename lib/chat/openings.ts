import { FairLimit } from "../async/fair-limit.ts";
import { madeOnce } from "../caching/memoize.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { beyondShare } from "../db/connection-shares.ts";
import { isRefused } from "../db/unavailable.ts";

/** A turn opened in less than this tells of a database that is near: the network takes hardly any of it. */
const nearMilliseconds = 2;

/**
 * Opens turns, so many at once that the rest of a process's connections are not for them: whoever of a class came first
 * claims the answer while the others still come, and these find it being made, so that no claim of theirs is needed.
 * Where each opening is a long way there and back, four fifths are on the way at once. A near database is kept busy by
 * half of them, and more would take from each other: the first quick opening says so, for as long as the process lives.
 * So does one that waited for a lock in vain: others are to find a connection meanwhile. An opening is never refused for
 * what else is sent for messages, since the answer may be there already. Who waits has their turn by network address and
 * account, and whoever hangs up leaves; of a turn that is opened again others may wait for the answer.
 */
export const openingsOf = madeOnce((_db: Db, config: Pick<Config, "DATABASE_POOL_SIZE">) => {
  const share = (part: number): number => Math.max(1, Math.floor(config.DATABASE_POOL_SIZE * part));
  const limit = new FairLimit({ atOnce: share(0.8) });
  return <Turn>(open: () => Promise<Turn>, isAgain = false): Promise<Turn> =>
    limit.run(
      async () => {
        const began = performance.now();
        const turn = await beyondShare(open).catch((error) => {
          if (isRefused(error)) limit.atOnce = share(0.5);
          throw error;
        });
        if (performance.now() - began < nearMilliseconds) limit.atOnce = share(0.5);
        return turn;
      },
      { evenAlone: isAgain },
    );
});
