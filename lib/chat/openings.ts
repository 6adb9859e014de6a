import pLimit from "p-limit";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { madeOnce } from "../made-once.ts";

/** A turn opened in less than this tells of a database that is near: the network takes hardly any of it. */
const nearMilliseconds = 2;

/**
 * Opens turns, so many at once that the rest of a process's connections are not for them: whoever of a class came first
 * claims the answer while the others still come, and these find it being made, so that no claim of theirs is needed.
 * Where each opening is a long way there and back, four fifths are on the way at once. A near database is kept busy by
 * half of them, and more would take from each other: the first quick opening says so, for as long as the process lives.
 */
export const openingsOf = madeOnce((_db: Db, config: Pick<Config, "DATABASE_POOL_SIZE">) => {
  const share = (part: number): number => Math.max(1, Math.floor(config.DATABASE_POOL_SIZE * part));
  const limit = pLimit(share(0.8));
  return <Turn>(open: () => Promise<Turn>): Promise<Turn> =>
    limit(async () => {
      const began = performance.now();
      const turn = await open();
      if (performance.now() - began < nearMilliseconds) limit.concurrency = share(0.5);
      return turn;
    });
});
