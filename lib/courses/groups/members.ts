import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { GroupMember, GroupMemberPut, GroupQuery } from "../../../schema/api/courses/groups.ts";
import { offeringGroupMembers } from "../../../schema/db/courses/offering-groups.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { badRequest, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { memberJoinSql } from "../../identity/users/member-names.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import {
  ensureDiscussionAccess,
  offeringsWithCoursesSql,
  readableDiscussionsCondition,
} from "../discussion-access.ts";
import { permittedOfferingQuery } from "../permitted-offering.ts";
import {
  explainGroupRefusal,
  type GroupPath,
  groupOfPermittedOfferingQuery,
  offeringIfEnrollmentsManageableQuery,
} from "./groups.ts";

const columns = {
  user_id: offeringGroupMembers.user_id,
  full_name: typedSql(z.string())`coalesce(name_at_university(member), ${users.full_name})`,
  email: users.email,
  role: offeringGroupMembers.group_role,
  has_place: typedSql(z.boolean())`exists (
    select from enrollments as taking
    where taking.course_offering_id = offering_group_members.course_offering_id
      and taking.user_id = offering_group_members.user_id and taking.is_admitted)`,
  joined_at: offeringGroupMembers.joined_at,
};

/** For the offering's staff; 404, or 403 for others. */
export async function listGroupMembers(
  db: ReadDb,
  actor: Actor,
  path: GroupPath,
  window: GroupQuery,
): Promise<JsonListPage<GroupMember>> {
  const listed = await queryJsonPageOfOwner<GroupMember>(
    db,
    sql`(
      with permitted as materialized (${permittedOfferingQuery(actor, "roster:read", path.offering_id)}) ${groupOfPermittedOfferingQuery(path)}
    ) as here`,
    createPageQuery(window, [ascending(offeringGroupMembers.user_id)]).rows(
      columns,
      sql`offering_group_members join users on ${users.id} = ${offeringGroupMembers.user_id}
        ${memberJoinSql(sql`here.university_id`, offeringGroupMembers.user_id)}`,
      sql`offering_group_members.group_id = here.id`,
    ),
  );
  return listed ?? explainGroupRefusal(db, actor, path);
}

type MemberPath = GroupPath & { user_id: number };

const Outcome = z.object({ refusal: z.string().nullable() });

async function refusalOf(
  db: Db,
  { permitted, path, change }: { permitted: SQL; path: GroupPath; change: SQL },
): Promise<string | null | undefined> {
  const [outcome] = await rowsOf(
    db,
    Outcome,
    sql`
      with permitted as materialized (${permitted}),
      named as materialized (${groupOfPermittedOfferingQuery(path)})
      select done as refusal from named cross join lateral ${change} as done`,
  );
  return outcome?.refusal;
}

/**
 * 400 if the group is full, or the person has no seat and is not staff. 404, or 403 without the right to
 * manage it.
 */
export async function putGroupMember(
  db: Db,
  actor: Actor,
  { user_id, ...path }: MemberPath,
  { role }: GroupMemberPut,
  now: Date,
): Promise<void> {
  const refusal = await refusalOf(db, {
    permitted: offeringIfEnrollmentsManageableQuery(actor, path.offering_id),
    path,
    change: sql`add_to_group_or_change_role(named.id, ${user_id}, ${role?.toLowerCase() ?? null}, false, ${actor.id}, ${now.toISOString()}, ${requestAuditJson()}::jsonb)`,
  });
  if (refusal === undefined) return explainGroupRefusal(db, actor, path);
  throwRefusal(refusal, user_id);
}

/** 404 if there is none, otherwise as `putGroupMember`. */
export async function removeGroupMember(
  db: Db,
  actor: Actor,
  { user_id, ...path }: MemberPath,
  now: Date,
): Promise<void> {
  const refusal = await refusalOf(db, {
    permitted: offeringIfEnrollmentsManageableQuery(actor, path.offering_id),
    path,
    change: sql`remove_from_group(named.id, ${user_id}, false, ${actor.id}, ${now.toISOString()}, ${requestAuditJson()}::jsonb)`,
  });
  if (refusal === undefined) return explainGroupRefusal(db, actor, path);
  throwRefusal(refusal, user_id);
}

const taken = (actor: Actor, offeringId: number) => sql`
  select course_offerings.id as offering_id, courses.university_id from ${offeringsWithCoursesSql}
  where course_offerings.id = ${offeringId} and ${readableDiscussionsCondition(actor)}`;

async function explainUnseen(db: Db, actor: Actor, { offering_id }: GroupPath): Promise<never> {
  await ensureDiscussionAccess(db, actor, offering_id);
  throw notFound("Group");
}

/** 400 if the group is not open, full, or opens an exam early; 404, or 403 unless a participant. */
export async function joinGroup(db: Db, actor: Actor, path: GroupPath, now: Date): Promise<void> {
  const refusal = await refusalOf(db, {
    permitted: taken(actor, path.offering_id),
    path,
    change: sql`add_to_group_or_change_role(named.id, ${actor.id}, 'member', true, ${actor.id}, ${now.toISOString()}, ${requestAuditJson()}::jsonb)`,
  });
  if (refusal === undefined) return explainUnseen(db, actor, path);
  throwRefusal(refusal, actor.id);
}

/** For groups with open enrollment; errors as `joinGroup`. Idempotent. */
export async function leaveGroup(db: Db, actor: Actor, path: GroupPath, now: Date): Promise<void> {
  const refusal = await refusalOf(db, {
    permitted: taken(actor, path.offering_id),
    path,
    change: sql`remove_from_group(named.id, ${actor.id}, true, ${actor.id}, ${now.toISOString()}, ${requestAuditJson()}::jsonb)`,
  });
  if (refusal === undefined) return explainUnseen(db, actor, path);
  if (refusal !== "not_in_it") throwRefusal(refusal, actor.id);
}

function throwRefusal(refusal: string | null, person: number): void {
  switch (refusal) {
    case null:
      return;
    case "missing":
      throw notFound("Group");
    case "not_in_it":
      throw notFound("Member");
    case "closed":
      throw badRequest("group_not_open");
    case "early_exam":
      throw badRequest("group_opens_exam_early");
    case "not_enrolled":
      throw badRequest("member_without_place", { id: person });
    case "not_staff":
      throw badRequest("member_not_staff", { id: person });
    case "full":
      throw badRequest("group_full");
    default:
      throw new Error(`Unknown refusal ${refusal}`);
  }
}
