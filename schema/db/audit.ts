import { sql } from "drizzle-orm";
import { index, integer, pgTable, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { type AuditAction, auditActions } from "../enums.ts";
import { bigId, instant, jsonObject, lowerEnum, oneOf } from "./columns.ts";

/**
 * What was done that someone may have to answer for: who did it, to whom, in which university, by which request, from
 * where. Rows are only ever added (schema/functions/audit.sql). They refer to nothing, and outlive what they name.
 */
export const auditEvents = pgTable(
  "audit_events",
  {
    id: bigId(),
    occurred_at: instant().notNull(),
    action: lowerEnum<AuditAction>().notNull(),
    /** Null for people who were not signed in or have erased their account since. */
    actor_id: integer(),
    subject_id: integer(),
    /** Null for what concerns no university more than others. */
    university_id: integer(),
    /** The key with which a machine did it, in the actor's name. */
    api_key_id: integer(),
    request_id: varchar({ length: 128 }),
    from_address: varchar({ length: 64 }),
    /** Never a secret, and no words of a person's own. */
    details: jsonObject().notNull().default({}),
  },
  (table) => [
    index().on(table.university_id, table.id),
    index().on(table.subject_id, table.id),
    index().on(table.actor_id, table.id),
    index().on(table.action, table.id),
    // One line a person, operation and hour, across all processes.
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
