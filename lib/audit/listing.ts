import { and, eq, getTableColumns, or, type SQL, sql } from "drizzle-orm";
import type { AuditEvent, AuditQuery } from "../../schema/api/audit.ts";
import { auditEvents } from "../../schema/db/audit.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { descending, pageOf } from "../db/page.ts";
import type { ListPart } from "../list-part.ts";
import { can } from "../rbac/policy.ts";

/**
 * The audit log, newest first: all of it for platform administrators; for a university's what was done in it, and what
 * concerns the accounts of its people and no university. A role for a department alone does not count.
 */
export async function listAuditEvents(
  db: Db,
  actor: Actor,
  query: AuditQuery,
): Promise<ListPart<AuditEvent>> {
  const { university_id, user_id, action } = query;
  const page = pageOf(query, [descending(auditEvents.id)]);
  const rows = await db
    .select({ ...getTableColumns(auditEvents), page_key: page.key })
    .from(auditEvents)
    .where(
      page.where(
        and(
          concerns(actor),
          university_id === undefined ? undefined : eq(auditEvents.university_id, university_id),
          user_id === undefined
            ? undefined
            : or(eq(auditEvents.actor_id, user_id), eq(auditEvents.subject_id, user_id)),
          action && eq(auditEvents.action, action),
        ),
      ),
    )
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows);
}

function concerns(actor: Actor): SQL | undefined {
  if (can(actor.roles, "audit:read-all")) return undefined;
  const theirs = actor.roles
    .filter((role) => role.role === "university_admin" && role.department_id === null)
    .map((role) => role.university_id);
  const universities = sql`${sql.param(theirs)}::int[]`;
  return or(
    sql`${auditEvents.university_id} = any(${universities})`,
    sql`(${auditEvents.university_id} is null and exists (
      select from known_at(${auditEvents.subject_id}) as known where known.university_id = any(${universities})))`,
  );
}
