import { and, eq, inArray, isNotNull, ne, or, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Offered } from "../../../schema/api/courses/offers.ts";
import type { NamedPerson } from "../../../schema/api/identity/named-person.ts";
import {
  GrantedRole,
  type Role,
  type RoleGrant,
  type RoleQuery,
} from "../../../schema/api/identity/roles.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { universityMembers } from "../../../schema/db/identity/university-members.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, StoredInstant, typedSql } from "../../platform/db/query/rows.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  sortKeysForParameter,
} from "../../platform/db/query/search-and-sort.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import type { MailBudgets } from "../../platform/mail/mail-budgets.ts";
import { AcceptedResult } from "../../platform/results/accepted.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { insertAuditEventsQuery } from "../audit/record.ts";
import type { Actor } from "../auth/actor.ts";
import {
  ensureNamedPersonExists,
  namedPersonQuery,
  offerRecipientEmailQuery,
} from "../identities/named-person.ts";
import { can } from "../rbac/policy.ts";
import { permissionCondition } from "../rbac/scopes.ts";
import { ensureApiKeyMayGrantRole, roleGrantAction, rolesGrantedByDepartmentAdmins } from "./grantable.ts";
import { createdOfferJsonSql, createOrRenewOffersQuery } from "./offers.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "./universities.ts";

const columns = {
  id: userUniversityRoles.id,
  user_id: userUniversityRoles.user_id,
  email: typedSql(
    z.string().nullable(),
  )`(select email from users where users.id = user_university_roles.user_id)`,
  full_name: typedSql(
    z.string(),
  )`(select full_name from users where users.id = user_university_roles.user_id)`,
  university_id: userUniversityRoles.university_id,
  role: userUniversityRoles.role,
  department_id: userUniversityRoles.department_id,
  created_at: userUniversityRoles.created_at,
};

const { full_name, search_text } = universityMembers;
const email = typedSql(z.string().nullable())`nullif(${universityMembers.email}, '')`;
const { sorts } = searchAndSortBy(search_text, "full_name");

const isHolder = and(
  eq(universityMembers.university_id, userUniversityRoles.university_id),
  eq(universityMembers.user_id, userUniversityRoles.user_id),
);

/** A department_admin gets the department's. 404 without the university, 403 for others. */
export async function listRoles(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  { sort, skip, limit, after, ...wanted }: RoleQuery,
): Promise<ListPage<Role>> {
  await ensureAllowedInUniversity(db, actor, "role:read", universityId);
  const page = createPageQuery(
    { skip, limit, after },
    sortKeysForParameter(sort, sorts, userUniversityRoles.id),
  );
  const seen = and(eq(userUniversityRoles.university_id, universityId), administeredBy(actor, universityId));
  const found = await db
    .select({ ...columns, email, full_name, page_key: page.key })
    .from(userUniversityRoles)
    .innerJoin(universityMembers, isHolder)
    .where(page.where(and(seen, rolesWanted(wanted))))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  if (found.length === 0) await getUniversity(db, universityId);
  return page.part(found);
}

type RoleFilters = Pick<RoleQuery, "q" | "role" | "user_id" | "department_id">;

const rolesWanted = ({ q, role, user_id, department_id }: RoleFilters): SQL | undefined =>
  and(
    q
      ? sql`${userUniversityRoles.user_id} in (select id from users where ${containsAllWordsCondition(users.search_text, q)})`
      : undefined,
    role ? eq(userUniversityRoles.role, role) : undefined,
    user_id ? eq(userUniversityRoles.user_id, user_id) : undefined,
    department_id ? eq(userUniversityRoles.department_id, department_id) : undefined,
  );

const GrantOutcome = z.object({
  granted: GrantedRole.extend({ created_at: StoredInstant }).nullable(),
  offered: Offered.nullable(),
});

/**
 * Up to the actor's own role. Non-members get an offer (`Accepted`). 404 for a `user_id` the actor cannot
 * see. 400 for a duplicate or another university's department. 429 above the hourly limit.
 */
export async function grantOrOfferRole(
  db: Db,
  actor: Actor,
  universityId: number,
  { role, department_id = null, ...named }: RoleGrant,
  budgets: MailBudgets,
): Promise<GrantedRole | AcceptedResult<Offered>> {
  await ensureAllowedInUniversity(
    db,
    actor,
    roleGrantAction(role, department_id),
    universityId,
    department_id,
  );
  ensureApiKeyMayGrantRole(actor, role);
  const statement = sql`
    with person as (${namedPersonQuery(actor, named, sql`${universityId}::int`)}), granted as (
      insert into user_university_roles (user_id, university_id, role, department_id)
      select person.id, ${universityId}::int, ${role.toLowerCase()}, ${department_id}::int
      from person cross join lateral raise_if_university_inactive(${universityId}::int) as active where is_own
      on conflict do nothing
      returning *
    ), audited as (
      ${insertAuditEventsQuery({ action: "role.granted", actor: actor.id, ...roleOf }, sql`granted`)}
    ), recipient as materialized (
      select ${universityId}::int as university_id, null::int as course_offering_id, email
      from (${offerRecipientEmailQuery(named)}) as addressee
    ), made as materialized (${createOrRenewOffersQuery({ role, department_id, actor, budgets })})
    select ${createdOfferJsonSql} as offered, (
      select row_to_json(item) from (
        select granted.id, user_id, email, full_name, university_id, upper(role) as role, department_id, created_at
        from granted join person on person.id = user_id) as item) as granted`;
  const [outcome] = await rowsOf(db, GrantOutcome, statement).catch(rethrowMissingUniversityAsNotFound);
  const { granted = null, offered = null } = outcome ?? {};
  if (granted) return { ...granted, created_at: toInstant(granted.created_at) };
  if (offered) return new AcceptedResult(offered);
  await ensureNamedPersonExists(db, actor, named, sql`${universityId}::int`);
  throw alreadyHeld(role, named);
}

type Assignment = { user_id: number; university_id: number; role: RoleGrant["role"] };

/** Without an actor; 400 if the person has the role already. */
export async function grantRoleWithoutActor(db: Db, assignment: Assignment): Promise<Role> {
  const [role] = await db
    .insert(userUniversityRoles)
    .values(assignment)
    .onConflictDoNothing()
    .returning(columns);
  if (!role) throw alreadyHeld(assignment.role, assignment);
  return role;
}

function alreadyHeld(role: string, named: NamedPerson) {
  const [way, value] = Object.entries(named).find(([, value]) => value !== undefined) ?? [];
  const who = `${way} '${value}'`;
  return badRequest("role_held", { role, person: who });
}

/** 404 if the actor sees no such role in the university, 403 if they could not grant it. */
export async function revokeRole(db: Db, actor: Actor, universityId: number, roleId: number): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "role:read", universityId);
  const role = and(eq(userUniversityRoles.id, roleId), eq(userUniversityRoles.university_id, universityId));
  const revoked = await rowsOf(
    db,
    RevokedRow,
    sql`
      with revoked as (
        delete from ${userUniversityRoles} where ${and(role, grantableRoleCondition(actor))}
          and (user_id <> ${actor.id} or role <> 'university_admin' or department_id is not null
               or lock_and_refuse_last_administrator(${actor.id}, ${universityId}))
        returning *
      ),
      audited as (${insertAuditEventsQuery({ action: "role.revoked", actor: actor.id, ...roleOf }, sql`revoked`)})
      select id from revoked`,
  ).catch(throwLastAdministrator);
  if (revoked.length > 0) return;

  const [seen] = await db
    .select({ id: userUniversityRoles.id })
    .from(userUniversityRoles)
    .where(and(role, administeredBy(actor, universityId)));
  if (seen) throw forbidden();
  await getUniversity(db, universityId);
  throw notFound("Role");
}

function throwLastAdministrator(error: unknown): never {
  const isLast = constraintViolationIn(error)?.constraint === "last_administrator";
  throw isLast ? badRequest("last_administrator") : error;
}

const RevokedRow = z.object({ id: z.int() });

const roleOf = {
  subject: sql`user_id`,
  university: sql`university_id`,
  details: sql`jsonb_strip_nulls(jsonb_build_object('role', role, 'department_id', department_id))`,
};

/** Rows of `user_university_roles` that the actor could grant, and so may revoke. */
export function grantableRoleCondition(actor: Actor): SQL | undefined {
  if (can(actor.roles, "role:grant-platform-admin")) return undefined;
  const { role } = userUniversityRoles;
  return and(
    ne(role, "PLATFORM_ADMIN"),
    actor.key && inArray(role, [...rolesGrantedByDepartmentAdmins]),
    or(ofUniversityOf(actor), and(inArray(role, [...rolesGrantedByDepartmentAdmins]), ofDepartmentOf(actor))),
  );
}

const administeredBy = (actor: Actor, university_id: number): SQL | undefined =>
  can(actor.roles, "role:grant-for-university", { university_id }) ? undefined : ofDepartmentOf(actor);

const ofUniversityOf = (actor: Actor): SQL =>
  permissionCondition(actor, "role:grant-for-university", userUniversityRoles.university_id);

const ofDepartmentOf = (actor: Actor): SQL | undefined => {
  const { university_id, department_id } = userUniversityRoles;
  return and(
    isNotNull(department_id),
    permissionCondition(actor, "role:grant", university_id, department_id),
  );
};
