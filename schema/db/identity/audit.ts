import { sql } from "drizzle-orm";
import { index, integer, pgTable, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { type AuditAction, auditActions } from "../../enums.ts";
import { bigId, instant, jsonObject, lowerEnum, oneOf } from "../platform/columns.ts";

/**
 * The audit log: who did what to whom, in which university, by which request, from where. Append-only
 * (schema/functions/identity/audit.sql). No foreign keys, so it outlives its subjects.
 */
export const auditEvents = pgTable(
  "audit_events",
  {
    id: bigId(),
    occurred_at: instant().notNull(),
    action: lowerEnum<AuditAction>().notNull(),
    /** Null for people not signed in or erased. */
    actor_id: integer(),
    subject_id: integer(),
    /** Null for events outside of universities. */
    university_id: integer(),
    /** The API key that acted in the actor's name. */
    api_key_id: integer(),
    request_id: varchar({ length: 128 }),
    from_address: varchar({ length: 64 }),
    /** Never contains secrets or a person's texts. */
    details: jsonObject().notNull().default({}),
  },
  (table) => [
    index().on(table.university_id, table.id),
    index().on(table.subject_id, table.id),
    index().on(table.actor_id, table.id),
    index().on(table.action, table.id),
    // One row per person, operation and hour, across all processes.
    uniqueIndex("audit_events_refused_key")
      .on(
        table.actor_id,
        sql`(${table.details} ->> 'operation')`,
        sql`date_trunc('hour', ${table.occurred_at} at time zone 'UTC')`,
      )
      .where(sql`action = 'access.refused'`),
    oneOf(table.action, auditActions),
  ],
);
