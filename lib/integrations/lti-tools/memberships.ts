import { sql } from "drizzle-orm";
import * as z from "zod";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ToolCaller } from "./access-tokens.ts";
import { deployedOfferingQuery } from "./deployed-offering.ts";
import { ltiRolesByToolRole } from "./id-token.ts";
import { decryptSubject, encryptSubject } from "./subjects.ts";
import { itemOfResourceLink, membershipsUrl } from "./tool-addresses.ts";

/** A member of NRPS 2.0. */
type Member = { user_id: string; status: "Active"; roles: readonly string[]; name?: string; email?: string };

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
  user_id: z.int().nullable(),
  role: z.enum(["learner", "instructor", "ta"]).nullable(),
  full_name: z.string().nullable(),
  email: z.string().nullable(),
});

export type MembershipFilter = {
  role?: string | undefined;
  rlid?: string | undefined;
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

/**
 * Active people with a seat in the offering and its teachers, by account. 404 unless the tool is deployed there and
 * `rlid` is its item.
 */
export async function listMemberships(
  db: ReadDb,
  caller: ToolCaller,
  offeringId: number,
  { role, rlid, after, limit }: MembershipFilter,
  service: string,
): Promise<{ container: MembershipContainer; next: string | undefined }> {
  const itemId = rlid === undefined ? null : (itemOfResourceLink(offeringId, rlid) ?? 0);
  const key = after === undefined ? undefined : await subjectKeyOf(db, caller);
  const last = key === undefined ? 0 : (decryptSubject(key, after ?? "") ?? 0);
  const rows = await rowsOf(
    db,
    Row,
    sql`
      with deployed as materialized (${deployedOfferingQuery(caller, offeringId)}), here as (
        select seat.user_id, 'learner' as role from deployed
        join enrollments as seat on seat.course_offering_id = deployed.offering_id and seat.is_admitted
        union all
        select teacher.user_id, 'instructor' from deployed
        join offering_teachers as teacher on teacher.course_offering_id = deployed.offering_id
        union all
        select staff.user_id, staff.role from deployed
        join offering_staff as staff on staff.course_offering_id = deployed.offering_id and staff.removed_at is null
      ), member as materialized (
        select one.user_id, one.role, person.full_name, person.email
        from deployed cross join lateral (
          -- A learner who also teaches is listed once, as a learner.
          select distinct on (here.user_id) here.user_id, here.role from here where here.user_id > ${last}
          order by here.user_id, here.role <> 'learner', here.role
        ) as one join users as person on person.id = one.user_id and person.is_active
        where not is_suspended(deployed.university_id, person.id) and one.role = any(${sql.param(rolesAsked(role))}::text[])
        order by one.user_id limit ${limit + 1}
      )
      select deployed.subject_key, deployed.shares_name, deployed.shares_email, course.title as course_title,
             course.code as course_code, ${itemId}::int is null or exists (
               select from content_items as item where item.id = ${itemId}::int and item.course_id = course.id
                 and json_number(item.data_json -> 'lti_tool_id') = deployed.tool_id) as has_item,
             member.user_id, member.role, member.full_name, member.email
      from deployed join courses as course on course.id = deployed.course_id left join member on true
      order by member.user_id`,
  );
  const [first] = rows;
  if (!first) throw notFound("Offering");
  if (!first.has_item) throw notFound("Content item");
  const lastRow = rows[limit - 1];
  return {
    container: {
      id: membershipsUrl(service, offeringId),
      context: { id: String(offeringId), label: first.course_code, title: first.course_title },
      members: rows.slice(0, limit).flatMap(toMember),
    },
    next:
      rows.length > limit && lastRow?.user_id
        ? encryptSubject(lastRow.subject_key, lastRow.user_id)
        : undefined,
  };
}

function toMember({ user_id, role, full_name, email, ...tool }: z.output<typeof Row>): Member[] {
  if (user_id === null || role === null) return [];
  return [
    {
      user_id: encryptSubject(tool.subject_key, user_id),
      status: "Active",
      roles: ltiRolesByToolRole[role],
      ...(tool.shares_name && full_name && { name: full_name }),
      ...(tool.shares_email && email && { email }),
    },
  ];
}

const Key = z.object({ subject_key: z.string() });

async function subjectKeyOf(db: ReadDb, { tool_id }: ToolCaller): Promise<string | undefined> {
  const [row] = await rowsOf(db, Key, sql`select subject_key from lti_tools where id = ${tool_id}`);
  return row?.subject_key;
}
