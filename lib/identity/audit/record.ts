import { type SQL, sql } from "drizzle-orm";
import type { AuditAction } from "../../../schema/enums.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";

/** Ids are numbers or columns of the written rows. */
export type AuditEntry = {
  action: AuditAction;
  actor: number | null;
  subject?: SQL | number | null;
  university?: SQL | number | null;
  /** A JSON object as SQL, without secrets or user-written text. */
  details?: SQL;
};

/**
 * Inserts an audit event for each row of `rows`, in the same statement as the act: `with granted as (insert
 * …), audited as (${insertAuditEventsQuery(act, sql`granted`)}) select …`.
 */
export function insertAuditEventsQuery(act: AuditEntry, rows: SQL): SQL {
  const facts = sql`${requestAuditJson()}::jsonb`;
  return sql`
    insert into audit_events
      (action, actor_id, subject_id, university_id, details, occurred_at, api_key_id, request_id, from_address)
    select ${act.action}, ${act.actor}::int, ${act.subject ?? null}::int, ${act.university ?? null}::int,
           ${act.details ?? sql`'{}'::jsonb`}, (facts ->> 'at')::timestamptz, (facts ->> 'api_key')::int, facts ->> 'id',
           facts ->> 'from'
    from ${rows}, (select ${facts} as facts) as request`;
}

export async function recordAuditEntry(db: Db, act: AuditEntry): Promise<void> {
  await db.execute(insertAuditEventsQuery(act, sql`(select) as one`));
}
