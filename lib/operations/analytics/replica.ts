import { sql } from "drizzle-orm";
import * as z from "zod";
import { unavailable } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { isDatabaseUnavailable, sqlStateOf } from "../../platform/db/unavailable.ts";

/**
 * Reads a report from the replica, if there is one, with its delay in seconds. 503 if it is down or canceled
 * the read: reports must not fall back to the primary.
 */
export async function readReportFromReplica<Report extends object>(
  { db, reports }: { db: ReadDb; reports: ReadDb | undefined },
  read: (db: ReadDb) => Promise<Report>,
): Promise<Report & { replica_delay_seconds?: number }> {
  if (!reports) return read(db);
  const [report, delay] = await Promise.all([read(reports), replicaDelaySeconds(reports)]).catch((error) => {
    throw isDatabaseUnavailable(error) || isEndedByRecovery(error)
      ? unavailable("replica_unreachable", error)
      : error;
  });
  return { ...report, replica_delay_seconds: delay };
}

/** The standby canceled a read because of a recovery conflict. */
const ENDED_BY_RECOVERY = "40001";

function isEndedByRecovery(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (sqlStateOf(link) === ENDED_BY_RECOVERY) return true;
  return false;
}

const Delay = z.object({ seconds: z.int() });

/**
 * Seconds. A replica that has replayed everything has no delay, however old the last write is; a writable
 * database is no replica.
 */
export async function replicaDelaySeconds(replica: ReadDb): Promise<number> {
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
  if (!delay) throw new Error("a select without a table returned no row");
  return delay.seconds;
}
