import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  Invitation,
  type InvitationCreate,
  type InvitationQuery,
} from "../../../schema/api/courses/invitations.ts";
import { invitations } from "../../../schema/db/courses/invitations.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { can, type OfferingAction } from "../../identity/rbac/policy.ts";
import { permissionCondition } from "../../identity/rbac/scopes.ts";
import { ensureApiKeyMayGrantRole, roleGrantAction } from "../../identity/universities/grantable.ts";
import { createOrRenewOffersQuery } from "../../identity/universities/offers.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "../../identity/universities/universities.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../../platform/db/query/search-and-sort.ts";
import { consumeInvitationBudgetSql, type MailBudgets } from "../../platform/mail/mail-budgets.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { offeringPermissionCondition, visibleCourseCondition } from "../course-permissions.ts";
import { permittedCourseCondition } from "../courses.ts";

/** An invitation's id is valid only within its university. */
export type InvitationPath = { university_id: number; invitation_id: number };

const one = alias(invitations, "one");

export const invitationStatusSql = (now: Date): SQL => sql`
  case when one.accepted_at is not null then 'ACCEPTED' when one.declined_at is not null then 'DECLINED' when one.revoked_at is not null then 'REVOKED'
       when one.expires_at <= ${now.toISOString()}::timestamptz then 'EXPIRED' else 'OPEN' end`;

export const invitationColumns = (now: Date) => ({
  id: one.id,
  university_id: one.university_id,
  email: one.email,
  role: one.role,
  department_id: one.department_id,
  course_offering_id: one.course_offering_id,
  teaches: one.teaches,
  course_id: one.course_id,
  prerequisite_course_id: one.prerequisite_course_id,
  status: invitationStatusSql(now),
  invited_by_user_id: one.invited_by_user_id,
  created_at: one.created_at,
  expires_at: one.expires_at,
  accepted_at: one.accepted_at,
  accepted_by_user_id: one.accepted_by_user_id,
});

const Made = Invitation.extend({ is_new: z.boolean() });

/**
 * Needs the right to grant the role and to enroll in the offering. Renews an equal open invitation; `isNew`
 * is then false. 404 for an offering the actor cannot see, 400 for a department of another university, 429
 * above the hourly limit.
 */
export async function createOrRenewInvitation(
  db: Db,
  actor: Actor,
  universityId: number,
  { email, role, ...scope }: InvitationCreate,
  now: Date,
  budgets: MailBudgets,
): Promise<{ invitation: Invitation; isNew: boolean }> {
  const department_id = scope.department_id ?? null;
  const course_offering_id = scope.course_offering_id ?? null;
  if (role !== undefined) ensureApiKeyMayGrantRole(actor, role);
  const mayGrant =
    role === undefined ||
    can(actor.roles, roleGrantAction(role, department_id), { university_id: universityId, department_id });
  const statement = sql`
    with recipient as materialized (
      select ${universityId}::int as university_id, ${course_offering_id}::int as course_offering_id, ${email} as email
      where ${mayGrant} and ${course_offering_id === null ? sql`true` : mayEnrollIn(actor, universityId, course_offering_id)}
    ), made as materialized (${createOrRenewOffersQuery({ role, department_id, actor, budgets })})
    select ${wireColumnsSql(invitationColumns(now))}, is_new from made as one`;
  const [made] = await rowsOf(db, Made, statement).catch(rethrowMissingUniversityAsNotFound);
  if (!made) return explainRefusal(db, actor, universityId, course_offering_id);
  const { is_new: isNew, ...invitation } = made;
  return { invitation, isNew };
}

const mayIn = (actor: Actor, action: OfferingAction): SQL =>
  offeringPermissionCondition(actor, action, sql`run.id`);

const mayEnrollIn = (actor: Actor, universityId: number, offeringId: number): SQL => sql`exists (
  select from course_offerings as run join courses on courses.id = run.course_id
  where run.id = ${offeringId} and run.university_id = ${universityId} and ${mayIn(actor, "enrollment:manage")})`;

async function explainRefusal(
  db: Db,
  actor: Actor,
  universityId: number,
  offeringId: number | null,
): Promise<never> {
  await getUniversity(db, universityId);
  if (offeringId !== null) {
    const seen = sql`
      select run.id from course_offerings as run join courses on courses.id = run.course_id
      where run.id = ${offeringId} and run.university_id = ${universityId} and ${visibleCourseCondition(actor)}`;
    if ((await rowsOf(db, Found, seen)).length === 0) throw notFound("Offering");
  }
  throw forbidden();
}

const Found = z.object({ id: z.int() });

const sorts = { id: [], email: [one.email] };

/** Invitations that the actor could create. 404 without the university, 403 below staff. */
export async function listInvitations(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  { status, q, role, email, course_offering_id, department_id, sort, ...window }: InvitationQuery,
  now: Date,
): Promise<JsonListPage<Invitation>> {
  await ensureAllowedInUniversity(db, actor, "invitation:read", universityId);
  const wanted = and(
    eq(one.university_id, universityId),
    manageableInvitationCondition(actor),
    status ? sql`${invitationStatusSql(now)} = ${status}` : undefined,
    containsAllWordsCondition(one.search_text, q),
    role ? eq(one.role, role) : undefined,
    email ? eq(one.email, email) : undefined,
    course_offering_id ? eq(one.course_offering_id, course_offering_id) : undefined,
    department_id ? eq(one.department_id, department_id) : undefined,
  );
  const page = createPageQuery(window, sortKeysForParameter(sort, sorts, one.id));
  return queryJsonPage(db, page.rows(invitationColumns(now), sql`invitations as one`, wanted));
}

/** Rows `one` that the actor could create, and so may see, resend and revoke. */
export function manageableInvitationCondition(actor: Actor): SQL {
  const isGrantable = can(actor.roles, "role:grant-platform-admin")
    ? sql`true`
    : sql`one.role <> 'platform_admin' and (${permissionCondition(actor, "role:grant-for-university", sql`one.university_id`)}
        or one.role in ('student', 'ta', 'instructor') and one.department_id is not null
          and ${permissionCondition(actor, "role:grant", sql`one.university_id`, sql`one.department_id`)})`;
  return sql`(one.role is null or ${isGrantable}) and (one.course_offering_id is null or exists (
    select from course_offerings as run join courses on courses.id = run.course_id
    where run.id = one.course_offering_id and case when one.teaches
      then ${mayIn(actor, "offering:write")} else ${mayIn(actor, "enrollment:manage")} end))
    and (one.course_id is null or exists (
      select from courses where ${permittedCourseCondition(actor, "exemption:manage", sql`one.course_id`)}))`;
}

const isOpen = sql`one.accepted_at is null and one.revoked_at is null`;

/**
 * Valid for seven more days. 400 if accepted or revoked, 429 above the hourly limit. Locks the row: it would
 * otherwise undo a concurrent revocation.
 */
export async function sendInvitationAgain(
  db: Db,
  actor: Actor,
  path: InvitationPath,
  now: Date,
  budgets: MailBudgets,
): Promise<Invitation> {
  await ensureAllowedInUniversity(db, actor, "invitation:read", path.university_id);
  const statement = sql`
    with known as materialized (
      select one.* from invitations as one where ${at(path)} and ${manageableInvitationCondition(actor)} and ${isOpen} for update
    ), renewed as materialized (
      select (invited.invitation).*
      from known, lateral ${consumeInvitationBudgetSql(budgets, actor.id, sql`known.university_id`)} as spent, lateral invite(
        known.university_id, known.email, jsonb_build_object(
          'role', known.role, 'department_id', known.department_id, 'offering_id', known.course_offering_id,
          'teaches', known.teaches, 'overrides', known.overrides, 'excused_from', (
            select required from course_prerequisites as required
            where required.course_id = known.course_id and required.prerequisite_course_id = known.prerequisite_course_id)),
        ${actor.id}, ${requestAuditJson()}::jsonb, known.source) as invited
    )
    select ${wireColumnsSql(invitationColumns(now))} from renewed as one`;
  const [sent] = await rowsOf(db, Invitation, statement);
  return sent ?? missing(db, actor, path);
}

/** Voids the link too. 400 if it was accepted or revoked. */
export async function revokeInvitation(db: Db, actor: Actor, path: InvitationPath, now: Date): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "invitation:read", path.university_id);
  const statement = sql`
    with revoked as (
      update invitations as one set revoked_at = ${now.toISOString()}
      where ${at(path)} and ${manageableInvitationCondition(actor)} and ${isOpen} returning *
    ), audited as (
      ${insertAuditEventsQuery(
        {
          action: "invitation.revoked",
          actor: actor.id,
          university: sql`university_id`,
          details: sql`jsonb_build_object('invitation_id', revoked.id)`,
        },
        sql`revoked`,
      )}
    )
    select id from revoked`;
  if ((await rowsOf(db, Found, statement)).length === 0) await missing(db, actor, path);
}

const at = ({ university_id, invitation_id }: InvitationPath): SQL =>
  sql`one.id = ${invitation_id} and one.university_id = ${university_id}`;

async function missing(db: Db, actor: Actor, path: InvitationPath): Promise<never> {
  const seen = sql`select one.id from invitations as one where ${at(path)} and ${manageableInvitationCondition(actor)}`;
  if ((await rowsOf(db, Found, seen)).length > 0) throw badRequest("invitation_void");
  await getUniversity(db, path.university_id);
  throw notFound("Invitation");
}
