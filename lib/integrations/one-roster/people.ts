import { type SQL, sql } from "drizzle-orm";
import type { Role } from "../../../schema/enums.ts";
import { latestExternalIdSql } from "../../identity/users/member-names.ts";
import {
  type CollectionDefinition,
  numberInSourcedId,
  type ResourceRow,
  resourceBase,
  rosteringReference,
} from "./collection.ts";
import { commonFilters } from "./common-filters.ts";
import type { FilterField } from "./filter.ts";
import { toDepartmentSourcedId, toUniversitySourcedId } from "./organizations.ts";
import { toClassSourcedId } from "./teaching.ts";

export const toUserSourcedId = (person: number): string => `user-${person}`;

const roleNames: Record<Exclude<Role, "platform_admin">, string> = {
  student: "student",
  ta: "aide",
  instructor: "teacher",
  department_admin: "siteAdministrator",
  university_admin: "siteAdministrator",
};

type HeldRole = { role: keyof typeof roleNames; department_id: number | null };

/** Rows (role, department_id) as granted, by a seat, by teaching, or by an LMS. */
const heldRoles = (university: SQL, person: SQL): SQL => sql`(
  select role, department_id from user_university_roles
  where user_id = ${person} and university_id = ${university} and role <> 'platform_admin'
  union all
  select 'student', null::integer from enrollments
  where user_id = ${person} and university_id = ${university} and status <> 'dropped'
  union all
  select 'instructor', null from course_offering_instructors as teaching
  join course_offerings as run on run.id = teaching.course_offering_id
  where teaching.user_id = ${person} and run.university_id = ${university}
  union all
  select staff.role, null from offering_staff as staff
  where staff.user_id = ${person} and staff.university_id = ${university} and staff.removed_at is null
)`;

const ownRoles = heldRoles(sql`one.university_id`, sql`one.id`);

/**
 * That the person holds one of the roles above that matches. The database reads small tables whole once, or checks each
 * person by an index; it never reads all enrollments.
 */
const holdsRole = (university: number, person: SQL, matches: (role: SQL) => SQL): SQL => sql`(
  exists (
    select from user_university_roles as granted
    where granted.user_id = ${person} and granted.university_id = ${university} and granted.role <> 'platform_admin'
      and ${matches(sql`granted.role`)})
  or exists (
    select from enrollments as seat
    where seat.user_id = ${person} and seat.university_id = ${university} and seat.status <> 'dropped'
      and ${matches(sql`'student'::text`)} offset 0)
  or exists (
    select from course_offering_instructors as teaching
    join course_offerings as run on run.id = teaching.course_offering_id
    where teaching.user_id = ${person} and run.university_id = ${university} and ${matches(sql`'instructor'::text`)})
  or exists (
    select from offering_staff as staff
    where staff.user_id = ${person} and staff.university_id = ${university} and staff.removed_at is null
      and ${matches(sql`staff.role`)})
)`;

const roleName = (role: SQL): SQL =>
  sql`case ${role} ${sql.join(
    Object.entries(roleNames).map(([stored, name]) => sql.raw(`when '${stored}' then '${name}'`)),
    sql` `,
  )} end`;

const roleField: FilterField = {
  kind: "text",
  value: sql`null`,
  some: (matches, university) => holdsRole(university, sql`one.id`, (role) => matches(roleName(role))),
};

/** For the rows of `users`. */
export const holdsRoleCondition = (role: "student" | "instructor", university: number): SQL =>
  holdsRole(university, sql`one.id`, (held) => sql`${held} = ${role}`);

type UserRow = ResourceRow & {
  given_name: string;
  family_name: string;
  email: string | null;
  is_enabled: boolean;
  external_id: string | null;
  roles: HeldRole[] | null;
};

/** Required by the standard: without a name at the university, the last word counts as the family name. */
const givenName = sql`coalesce(one.given_name, regexp_replace(one.full_name, '\\s+\\S+$', ''))`;
const familyName = sql`coalesce(one.family_name, substring(one.full_name from '\\s+(\\S+)$'), '')`;
const externalId = latestExternalIdSql(sql`one.university_id`, sql`one.id`);

/** A member is `tobedeleted` once no role is left, or the account is erased. */
export const usersCollection: CollectionDefinition = {
  many: "users",
  one: "user",
  source: (university) => sql`
    select 'user-' || account.id as sourced_id, account.id, member.university_id,
           account.erased_at is null and ${holdsRole(university, sql`account.id`, () => sql`true`)} as is_active,
           greatest(account.updated_at, member.updated_at, (
             select max(held.created_at) from user_university_roles as held
             where held.user_id = account.id and held.university_id = member.university_id)) as changed_at, account.full_name, account.email,
           member.given_name, member.family_name, account.is_active and member.is_active as is_enabled
    from university_members as member join users as account on account.id = member.user_id
    where member.university_id = ${university}`,
  lookups: sql`
    one.email, one.is_enabled, ${givenName} as given_name, ${familyName} as family_name, ${externalId} as external_id,
    (select json_agg(held) from (select distinct every.* from ${ownRoles} as every) as held) as roles`,
  names: ["enabledUser", "username", "givenName", "familyName", "email", "identifier", "userIds", "roles"],
  filters: {
    ...commonFilters,
    enabledUser: { kind: "flag", value: sql`one.is_enabled` },
    username: { kind: "text", value: sql`one.email` },
    email: { kind: "text", value: sql`one.email` },
    givenName: { kind: "text", value: givenName },
    familyName: { kind: "text", value: familyName },
    identifier: { kind: "text", value: externalId },
    "userIds.identifier": { kind: "text", value: externalId },
    role: roleField,
    "roles.role": roleField,
  },
  matches: (sourcedId) => {
    const id = numberInSourcedId("user", sourcedId);
    return id === undefined ? undefined : sql`one.id = ${id}`;
  },
  toResource: (row: UserRow, service) => ({
    ...resourceBase(row),
    enabledUser: row.is_enabled,
    username: row.email ?? row.sourced_id,
    givenName: row.given_name,
    familyName: row.family_name,
    ...(row.email !== null && { email: row.email }),
    ...(row.external_id !== null && {
      identifier: row.external_id,
      userIds: [{ type: "external", identifier: row.external_id }],
    }),
    roles: rolesInOrder(row.roles ?? []).map(({ role, department_id }, index) => ({
      roleType: index === 0 ? "primary" : "secondary",
      role: roleNames[role],
      org: rosteringReference(
        service,
        "org",
        department_id === null
          ? toUniversitySourcedId(service.university)
          : toDepartmentSourcedId(department_id),
      ),
    })),
  }),
};

function rolesInOrder(roles: readonly HeldRole[]): HeldRole[] {
  const ranks = Object.keys(roleNames);
  const rankOf = ({ role, department_id }: HeldRole) => ranks.indexOf(role) * 2 + (department_id ? 0 : 1);
  return roles.toSorted((one, other) => rankOf(other) - rankOf(one));
}

type EnrollmentRow = ResourceRow & { role: string; person_id: number; class_id: number };

/** Seats, and teaching. A person without a seat, such as on a waiting list, is `tobedeleted`. */
export const enrollmentsCollection: CollectionDefinition = {
  many: "enrollments",
  one: "enrollment",
  source: (university) => sql`
    select 'enrollment-' || seat.id as sourced_id, seat.id, seat.is_admitted as is_active, seat.updated_at as changed_at,
           'student' as role, seat.user_id as person_id, seat.course_offering_id as class_id
    from enrollments as seat where seat.university_id = ${university}
    union all
    select 'teaching-' || teaching.id, teaching.id, true, greatest(teaching.created_at, run.updated_at), 'teacher',
           teaching.user_id, teaching.course_offering_id
    from course_offering_instructors as teaching join course_offerings as run on run.id = teaching.course_offering_id
    where run.university_id = ${university}`,
  lookups: sql`one.role, one.person_id, one.class_id`,
  names: ["role", "user", "class", "school"],
  filters: {
    ...commonFilters,
    role: { kind: "text", value: sql`one.role` },
    "user.sourcedId": { kind: "text", value: sql`'user-' || one.person_id` },
    "class.sourcedId": { kind: "text", value: sql`'class-' || one.class_id` },
  },
  matches: (sourcedId) => {
    const seat = numberInSourcedId("enrollment", sourcedId);
    const teaching = numberInSourcedId("teaching", sourcedId);
    if (seat !== undefined) return sql`one.role = 'student' and one.id = ${seat}`;
    return teaching === undefined ? undefined : sql`one.role = 'teacher' and one.id = ${teaching}`;
  },
  toResource: (row: EnrollmentRow, service) => ({
    ...resourceBase(row),
    role: row.role,
    user: rosteringReference(service, "user", toUserSourcedId(row.person_id)),
    class: rosteringReference(service, "class", toClassSourcedId(row.class_id)),
    school: rosteringReference(service, "org", toUniversitySourcedId(service.university)),
  }),
};
