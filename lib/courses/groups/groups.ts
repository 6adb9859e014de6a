import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  Group,
  type GroupCreate,
  type GroupQuery,
  type GroupUpdate,
} from "../../../schema/api/courses/groups.ts";
import { offeringGroups } from "../../../schema/db/courses/offering-groups.ts";
import { notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { OfferingAction } from "../../identity/rbac/policy.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import {
  ensureDiscussionAccess,
  offeringsWithCoursesSql,
  readableDiscussionsCondition,
} from "../discussion-access.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../permitted-offering.ts";
import { rethrowEarlyExamError } from "./early-exam.ts";

/* schema/functions/courses/groups.sql decides membership. */

export type GroupPath = { offering_id: number; group_id: number };

const columnsFor = (actor: Actor) => ({
  id: offeringGroups.id,
  course_offering_id: offeringGroups.course_offering_id,
  name: offeringGroups.name,
  capacity: offeringGroups.capacity,
  self_enrollment: offeringGroups.self_enrollment,
  member_count: typedSql(z.int())`(
    select count(*)::int from seated_members where group_id = offering_groups.id)`,
  own_role: typedSql(z.string().nullable())`(
    select upper(mine.group_role) from offering_group_members as mine
    where mine.group_id = offering_groups.id and mine.user_id = ${actor.id})`,
  created_at: offeringGroups.created_at,
  updated_at: offeringGroups.updated_at,
});

export const offeringIfEnrollmentsManageableQuery = (actor: Actor, offeringId: number): SQL =>
  permittedOfferingQuery(actor, "enrollment:manage", offeringId);

/** 404 or 403 of the offering, else 404. */
export async function explainGroupRefusal(
  db: ReadDb,
  actor: Actor,
  { offering_id }: GroupPath,
  action: OfferingAction = "enrollment:manage",
): Promise<never> {
  const { rows } = await db.execute(permittedOfferingQuery(actor, action, offering_id));
  if (rows.length === 0) return explainOfferingRefusal(db, actor, offering_id);
  throw notFound("Group");
}

/** 404 or 403 unless a participant. */
export async function listGroups(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  window: GroupQuery,
): Promise<JsonListPage<Group>> {
  const listed = await queryJsonPageOfOwner<Group>(
    db,
    sql`${offeringsWithCoursesSql} where course_offerings.id = ${offeringId} and ${readableDiscussionsCondition(actor)}`,
    createPageQuery(window, [ascending(offeringGroups.id)]).rows(
      columnsFor(actor),
      sql`offering_groups`,
      sql`offering_groups.course_offering_id = course_offerings.id`,
    ),
  );
  if (listed) return listed;
  await ensureDiscussionAccess(db, actor, offeringId);
  throw notFound("Offering");
}

/** 400 for a name in use, 404, or 403 unless the offering's staff. */
export async function createGroup(
  db: Db,
  actor: Actor,
  offeringId: number,
  { name, capacity, self_enrollment }: GroupCreate,
): Promise<Group> {
  const [made] = await written(
    db,
    actor,
    "group.created",
    sql`
      insert into offering_groups (course_offering_id, name, capacity, self_enrollment)
      select offering_id, ${name}, ${capacity}::int, ${self_enrollment}::boolean from permitted returning *`,
    offeringId,
  );
  return made ?? explainOfferingRefusal(db, actor, offeringId);
}

/**
 * Absent fields keep their values. A lower capacity removes no one. 400 if learners could then open an exam
 * early; otherwise as `createGroup`.
 */
export async function updateGroup(
  db: Db,
  actor: Actor,
  path: GroupPath,
  { name, capacity, self_enrollment }: GroupUpdate,
): Promise<Group> {
  const newCapacity = capacity === undefined ? sql`held.capacity` : sql`${capacity}::int`;
  const [changed] = await written(
    db,
    actor,
    "group.changed",
    sql`
      select changed.* from permitted
      join offering_groups as one on one.course_offering_id = permitted.offering_id and one.id = ${path.group_id}
      cross join lateral lock_group_and_offering_grades(one.id) as held
      cross join lateral update_offering_group(held.id, coalesce(${name ?? null}, held.name), ${newCapacity},
        coalesce(${self_enrollment ?? null}::boolean, held.self_enrollment)) as changed`,
    path.offering_id,
  ).catch(rethrowEarlyExamError);
  return changed ?? explainGroupRefusal(db, actor, path);
}

/** 404 or 403 as `updateGroup`. */
export async function deleteGroup(db: Db, actor: Actor, path: GroupPath, now: Date): Promise<void> {
  const { rows } = await db.execute(sql`
    with permitted as materialized (${offeringIfEnrollmentsManageableQuery(actor, path.offering_id)}),
    named as materialized (${groupOfPermittedOfferingQuery(path)})
    select deleted from named
    cross join lateral delete_group(named.id, ${actor.id}, ${now.toISOString()}, ${requestAuditJson()}::jsonb) as deleted
    where deleted is not null`);
  if (rows.length === 0) return explainGroupRefusal(db, actor, path);
}

export const groupOfPermittedOfferingQuery = ({ group_id }: GroupPath): SQL => sql`
  select offering_groups.id, offering_id, university_id from permitted
  join offering_groups on ${and(sql`offering_groups.course_offering_id = offering_id`, sql`offering_groups.id = ${group_id}`)}`;

function written(
  db: Db,
  actor: Actor,
  action: "group.created" | "group.changed",
  write: SQL,
  offeringId: number,
): Promise<Group[]> {
  const act = {
    action,
    actor: actor.id,
    university: sql`permitted.university_id`,
    details: sql`jsonb_build_object('group_id', offering_groups.id)`,
  };
  return rowsOf(
    db,
    Group,
    sql`
      with permitted as materialized (${offeringIfEnrollmentsManageableQuery(actor, offeringId)}), offering_groups as (${write}),
      audited as (${insertAuditEventsQuery(act, sql`offering_groups cross join permitted`)})
      select ${wireColumnsSql(columnsFor(actor))} from offering_groups`,
  );
}
