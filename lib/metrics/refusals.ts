import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { reportMark } from "./store.ts";

/** A 403 to someone signed in. `operation` is a method and a route's pattern, `request` the request's id. */
export type Refusal = {
  person: number;
  operation: string;
  at: Date;
  request: string;
  from: string | undefined;
};

/** What was refused to whom, kept in memory until the metrics are reported: a line of the audit log costs no request anything. */
export type Refusals = {
  /** Notes a refusal; of a person, an operation and an hour the first one alone. */
  note(refusal: Refusal): void;
  /** Writes what was noted since the last time; what cannot be written now is written by a later call. */
  store(db: Db): Promise<void>;
};

/** As many lines of an hour are remembered, and as many wait for a database that cannot be reached. */
const MOST = 10_000;

const HOUR_MS = 3_600_000;

export function createRefusals(): Refusals {
  let hour = 0;
  const noted = new Set<string>();
  let unwritten: Refusal[] = [];
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
 * A line for each that no other process wrote in the same hour, which an index of the audit log holds, so that sending
 * them again adds nothing; the database's `audit()` would fail there. Nobody who erased their account meanwhile is named:
 * who is doing so is waited for.
 */
async function writeRefusals(db: Db, refusals: readonly Refusal[]): Promise<void> {
  await db.execute(sql`${sql.raw(reportMark)}
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
