import { sql } from "drizzle-orm";
import * as z from "zod";
import type { ReadDb } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { isUnavailable, sqlStateOf } from "../db/unavailable.ts";
import { unavailable } from "../errors.ts";

/**
 * Reads a report where reports are read from: of the replica, where there is one, with how many seconds it is behind. 503
 * while that is away, or ended the read to keep up: the database itself is spared what it was set up against.
 */
export async function readReport<Report extends object>(
  { db, reports }: { db: ReadDb; reports: ReadDb | undefined },
  read: (db: ReadDb) => Promise<Report>,
): Promise<Report & { replica_delay_seconds?: number }> {
  if (!reports) return read(db);
  const [report, delay] = await Promise.all([read(reports), delayOf(reports)]).catch((error) => {
    throw isUnavailable(error) || isEndedByRecovery(error)
      ? unavailable("replica_unreachable", error)
      : error;
  });
  return { ...report, replica_delay_seconds: delay };
}

/** SQLSTATE of a read that a standby gave up, since it kept what the database has removed from being removed there too. */
const ENDED_BY_RECOVERY = "40001";

function isEndedByRecovery(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (sqlStateOf(link) === ENDED_BY_RECOVERY) return true;
  return false;
}

const Delay = z.object({ seconds: z.int() });

/**
 * For how many seconds back something may be missing at a replica. One that streams and has replayed all that it received
 * is not behind, however long nothing was written; one that takes writes is none.
 */
export async function delayOf(replica: ReadDb): Promise<number> {
  const [delay] = await rowsOf(
    replica,
    Delay,
    sql`
      select case
        when not pg_is_in_recovery() then 0
        when exists (select from pg_stat_wal_receiver) and pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
        else greatest(0, ceil(extract(epoch from clock_timestamp() - coalesce(
          pg_last_xact_replay_timestamp(), pg_postmaster_start_time()))))
      end::int as seconds`,
  );
  if (!delay) throw new Error("a select without a table answered no row");
  return delay.seconds;
}
