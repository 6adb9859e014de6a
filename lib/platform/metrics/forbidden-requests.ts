import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { metricsReportSqlComment } from "./store.ts";

/** A 403 for a signed-in user. `operation` is the method and route pattern. */
export type ForbiddenRequest = {
  person: number;
  operation: string;
  at: Date;
  request: string;
  from: string | undefined;
};

/** Buffered until metrics are reported. */
export type ForbiddenRequestBuffer = {
  /** Only the first per user, operation and hour counts. */
  note(refusal: ForbiddenRequest): void;
  /** A failed write is retried by a later call. */
  store(db: Db): Promise<void>;
};

/** Lines remembered per hour, and lines that wait for an unreachable database. */
const MOST = 10_000;

const HOUR_MS = 3_600_000;

export function createForbiddenRequestBuffer(): ForbiddenRequestBuffer {
  let hour = 0;
  const noted = new Set<string>();
  let unwritten: ForbiddenRequest[] = [];
  return {
    note(refusal) {
      const hourOfThis = Math.floor(refusal.at.getTime() / HOUR_MS);
      if (hourOfThis !== hour || noted.size >= MOST) noted.clear();
      hour = hourOfThis;
      const key = `${refusal.person} ${refusal.operation}`;
      if (noted.has(key) || unwritten.length >= MOST) return;
      noted.add(key);
      unwritten.push(refusal);
    },
    async store(db) {
      if (unwritten.length === 0) return;
      const taken = unwritten;
      await writeRefusals(db, taken);
      unwritten = unwritten.slice(taken.length);
    },
  };
}

/**
 * Skips lines that another process wrote in the same hour. The audit log's unique index makes retries
 * idempotent; the database's `audit()` would fail on it. Skips erased accounts, and waits for running
 * erasures.
 */
async function writeRefusals(db: Db, refusals: readonly ForbiddenRequest[]): Promise<void> {
  await db.execute(sql`${sql.raw(metricsReportSqlComment)}
    with refused as (
      select one.* from users
      join jsonb_to_recordset(${JSON.stringify(refusals)}::jsonb)
        as one (person int, operation text, at timestamptz, request text, "from" text) on one.person = users.id
      where users.erased_at is null
      order by users.id for key share of users
    )
    insert into audit_events (action, actor_id, subject_id, details, occurred_at, request_id, from_address)
    select 'access.refused', person, person, jsonb_build_object('operation', operation), at, request, "from"
    from refused
    on conflict do nothing`);
}
