import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { badRequest, notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ToolCaller } from "./access-tokens.ts";
import { deployedOfferingQuery, resourceLinkOfDeployedToolCondition } from "./deployed-offering.ts";
import { subjectKeySql } from "./deployments.ts";
import { ltiRolesByToolRole } from "./id-token.ts";
import {
  maxRosterSnapshotMembers,
  RosterSnapshot,
  sealRosterSnapshot,
  unsealRosterSnapshot,
} from "./roster-state.ts";
import { decryptSubject, encryptSubject } from "./subjects.ts";
import { itemIdOfResourceLink, membershipsUrl, nonexistentItemId } from "./tool-addresses.ts";

const statuses = ["Active", "Inactive", "Deleted"] as const;

/** A member of NRPS 2.0. */
type Member = {
  user_id: string;
  status: (typeof statuses)[number];
  roles: readonly string[];
  name?: string;
  email?: string;
};

export type MembershipContainer = {
  id: string;
  context: { id: string; label: string; title: string };
  members: Member[];
};

const Row = z.object({
  subject_key: z.string(),
  shares_name: z.boolean(),
  shares_email: z.boolean(),
  course_title: z.string(),
  course_code: z.string(),
  has_item: z.boolean(),
  /** On the first row of a first page. */
  state: RosterSnapshot.nullable(),
  user_id: z.int().nullable(),
  role: z.enum(["learner", "instructor", "ta"]).nullable(),
  status: z.enum(statuses).nullable(),
  full_name: z.string().nullable(),
  email: z.string().nullable(),
});
type Row = z.output<typeof Row>;

export type MembershipFilter = {
  role?: string | undefined;
  rlid?: string | undefined;
  /** Only changes since the sealed state. */
  since?: string | undefined;
  /** The sealed state as of the first page. */
  as_of?: string | undefined;
  /** The subject of the last member of the page before. */
  after?: string | undefined;
  limit: number;
};

/** A role of the request, as a name or an address. Others have no members. */
function rolesAsked(role: string | undefined): string[] {
  if (role === undefined) return ["learner", "instructor", "ta"];
  const [, name = role] = /#(\w+)$/.exec(role) ?? [];
  if (name === "Learner") return ["learner"];
  if (name === "TeachingAssistant") return ["ta"];
  return name === "Instructor" ? ["instructor", "ta"] : [];
}

/** Parameters of the next page, or of later differences. */
export type MembershipLinks = {
  next?: { after: string; as_of?: string };
  differences?: string;
};

/**
 * Active people with a seat in the offering and its teachers, by account; with `since` only those who changed, came or
 * left. 404 unless the tool is deployed there and `rlid` is its item, 400 for an old `since`.
 */
export async function listMemberships(
  parts: Pick<Deps, "config" | "now"> & { db: ReadDb },
  caller: ToolCaller,
  offeringId: number,
  { role, rlid, since, as_of, after, limit }: MembershipFilter,
  service: string,
): Promise<{ container: MembershipContainer; links: MembershipLinks }> {
  const { db } = parts;
  const former =
    since === undefined ? undefined : await unsealRosterSnapshot(parts, caller, offeringId, since);
  if (since !== undefined && !former) throw badRequest("lti_differences_over");
  const itemId = rlid === undefined ? null : (itemIdOfResourceLink(offeringId, rlid) ?? nonexistentItemId);
  const key = after === undefined ? undefined : await subjectKeyOf(db, caller, offeringId);
  const last = key === undefined ? 0 : (decryptSubject(key, after ?? "") ?? 0);
  const rows = await rowsOf(
    db,
    Row,
    sql`
      with deployed as materialized (${deployedOfferingQuery(caller, offeringId)}), here as (
        select seat.user_id, 'learner' as role, seat.changed_at from deployed
        join enrollments as seat on seat.course_offering_id = deployed.offering_id and seat.is_admitted
        union all
        select teacher.user_id, 'instructor', null from deployed
        join offering_teachers as teacher on teacher.course_offering_id = deployed.offering_id
        union all
        select staff.user_id, staff.role, null from deployed
        join offering_staff as staff on staff.course_offering_id = deployed.offering_id and staff.removed_at is null
      ), present as (
        select one.user_id, one.role, one.changed_at, person.full_name, person.email, person.updated_at,
               person.erased_at is not null as is_erased,
               person.is_active and not is_suspended(deployed.university_id, person.id) as is_active
        from deployed cross join lateral (
          -- A learner who also teaches is listed once, as a learner.
          select distinct on (here.user_id) here.user_id, here.role, here.changed_at from here
          order by here.user_id, here.role <> 'learner', here.role
        ) as one join users as person on person.id = one.user_id
      ), member as materialized (
        select * from (${former ? changedMembersQuery(former) : activeMembersQuery}) as listed
        where listed.user_id > ${last} and listed.role = any(${sql.param(rolesAsked(role))}::text[])
        order by listed.user_id limit ${limit + 1}
      )
      select deployed.subject_key, deployed.shares_name, deployed.shares_email, course.title as course_title,
             course.code as course_code, ${resourceLinkOfDeployedToolCondition(itemId)} as has_item,
             ${after === undefined ? sql`case when row_number() over (order by member.user_id) = 1 then ${currentState} end` : sql`null::json`} as state,
             member.user_id, member.role, member.status, member.full_name, member.email
      from deployed join courses as course on course.id = deployed.course_id left join member on true
      order by member.user_id`,
  );
  const [first] = rows;
  if (!first) throw notFound("Offering");
  if (!first.has_item) throw notFound("Content item");
  const state = as_of ?? (await sealStateIfSmall(parts, caller, offeringId, first.state));
  const lastId = rows.length > limit ? rows[limit - 1]?.user_id : undefined;
  return {
    container: {
      id: membershipsUrl(service, offeringId),
      context: { id: String(offeringId), label: first.course_code, title: first.course_title },
      members: rows.slice(0, limit).flatMap(toMember),
    },
    links: lastId
      ? { next: { after: encryptSubject(first.subject_key, lastId), ...(state && { as_of: state }) } }
      : { ...(state && { differences: state }) },
  };
}

const activeMembersQuery = sql`
  select present.user_id, present.role, 'Active' as status, present.full_name, present.email from present
  where present.is_active`;

/** A change that was not committed when the state was read is earlier than it. */
const commitMargin = sql`interval '5 minutes'`;

function changedMembersQuery({ at, staff, inactive }: RosterSnapshot): SQL {
  const since = sql`${at}::timestamptz - ${commitMargin}`;
  const formerStaff = sql`jsonb_to_recordset(${JSON.stringify(staff)}::jsonb) as former (id int, role text)`;
  return sql`
    select present.user_id, present.role,
           case when present.is_active then 'Active' when present.is_erased then 'Deleted' else 'Inactive' end as status,
           case when present.is_active then present.full_name end as full_name,
           case when present.is_active then present.email end as email
    from present
    where present.changed_at >= ${since} or present.updated_at >= ${since}
      or present.is_active = (present.user_id = any(${sql.param(inactive)}::int[]))
      or present.role <> 'learner' and not exists (
        select from ${formerStaff} where former.id = present.user_id and former.role = present.role)
    union all
    select left_one.user_id, left_one.role, 'Deleted', null, null
    from (
      select distinct on (gone.user_id) gone.user_id, gone.role from (
        select seat.user_id, 'learner' as role from deployed
        join enrollments as seat on seat.course_offering_id = deployed.offering_id
        where not seat.is_admitted and seat.changed_at >= ${since}
        union all
        select former.id, former.role from ${formerStaff}
      ) as gone order by gone.user_id, gone.role <> 'learner'
    ) as left_one
    where not exists (select from present where present.user_id = left_one.user_id)`;
}

/** One more than can be remembered tells that there are too many. */
const currentState = sql`json_build_object('at', service_now(),
  'staff', (select coalesce(json_agg(one), '[]') from (
    select present.user_id as id, present.role from present where present.role <> 'learner'
    limit ${maxRosterSnapshotMembers + 1}) as one),
  'inactive', (select coalesce(json_agg(one.user_id), '[]') from (
    select present.user_id from present where not present.is_active limit ${maxRosterSnapshotMembers + 1}) as one))`;

async function sealStateIfSmall(
  parts: Pick<Deps, "config" | "now">,
  caller: ToolCaller,
  offeringId: number,
  state: RosterSnapshot | null,
): Promise<string | undefined> {
  if (!state || state.staff.length + state.inactive.length > maxRosterSnapshotMembers) return undefined;
  return sealRosterSnapshot(parts, caller, offeringId, state);
}

function toMember({ user_id, role, status, full_name, email, ...tool }: Row): Member[] {
  if (user_id === null || role === null || status === null) return [];
  return [
    {
      user_id: encryptSubject(tool.subject_key, user_id),
      status,
      roles: ltiRolesByToolRole[role],
      ...(tool.shares_name && full_name && { name: full_name }),
      ...(tool.shares_email && email && { email }),
    },
  ];
}

const Key = z.object({ subject_key: z.string() });

async function subjectKeyOf(
  db: ReadDb,
  { tool_id }: ToolCaller,
  offeringId: number,
): Promise<string | undefined> {
  const statement = sql`
    select ${subjectKeySql(sql`run.university_id`)} as subject_key
    from lti_tools as tool cross join course_offerings as run where tool.id = ${tool_id} and run.id = ${offeringId}`;
  const [row] = await rowsOf(db, Key, statement);
  return row?.subject_key;
}
