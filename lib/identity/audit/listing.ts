import { and, eq, getTableColumns, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import * as z from "zod";
import type { AuditEvent, AuditQuery } from "../../../schema/api/identity/audit.ts";
import { auditEvents } from "../../../schema/db/identity/audit.ts";
import { users } from "../../../schema/db/identity/users.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import type { Actor } from "../auth/actor.ts";
import { can } from "../rbac/policy.ts";
import { visiblePersonCondition } from "../users/visibility.ts";

/** The event grades anonymous work: its subject must be a code. */
export const anonymousAuditSubjectCondition = (
  action: SQLWrapper,
  details: SQLWrapper,
): SQL => sql`(${action} = 'grade.changed'
  and is_grading_anonymous((${details} ->> 'course_offering_id')::int, (${details} ->> 'content_item_id')::int))`;

const isHidden = anonymousAuditSubjectCondition(auditEvents.action, auditEvents.details);

/**
 * Newest first: everything for platform administrators. A university's administrators see its events and
 * account events of its people. A department_admin has no access.
 */
export async function listAuditEvents(
  db: ReadDb,
  actor: Actor,
  query: AuditQuery,
): Promise<ListPage<AuditEvent>> {
  const { university_id, user_id, action } = query;
  const page = createPageQuery(query, [descending(auditEvents.id)]);
  const nameOf = (person: PgColumn) =>
    typedSql(z.string().nullable())`coalesce(
      (select ${users.full_name} from ${users} where ${and(eq(users.id, person), visiblePersonCondition(actor))}),
      (select gone.full_name from audit_people as gone where gone.user_id = ${person}))`;
  const formerAddressOf = (person: PgColumn) =>
    typedSql(
      z.string().nullable(),
    )`(select gone.email from audit_people as gone where gone.user_id = ${person})`;
  const rows = await db
    .select({
      ...getTableColumns(auditEvents),
      subject_id: typedSql(z.int().nullable())`case when not ${isHidden} then ${auditEvents.subject_id} end`,
      actor_name: nameOf(auditEvents.actor_id),
      subject_name: typedSql(
        z.string().nullable(),
      )`case when not ${isHidden} then ${nameOf(auditEvents.subject_id)} end`,
      actor_former_email: formerAddressOf(auditEvents.actor_id),
      subject_former_email: typedSql(
        z.string().nullable(),
      )`case when not ${isHidden} then ${formerAddressOf(auditEvents.subject_id)} end`,
      page_key: page.key,
    })
    .from(auditEvents)
    .where(
      page.where(
        and(
          concerns(actor),
          university_id === undefined ? undefined : eq(auditEvents.university_id, university_id),
          user_id === undefined
            ? undefined
            : or(
                eq(auditEvents.actor_id, user_id),
                and(eq(auditEvents.subject_id, user_id), sql`not ${isHidden}`),
              ),
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
      select from known_people as known
      where known.user_id = ${auditEvents.subject_id} and known.university_id = any(${universities})))`,
  );
}
