import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import { forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { offeringPermissionCondition, visibleCourseCondition } from "./course-permissions.ts";
import { groupMemberCondition } from "./in-group.ts";

export const offeringsWithCoursesSql = sql`course_offerings join courses on courses.id = course_offerings.course_id`;

export const threadsWithCoursesSql = sql`
  discussion_threads
  join course_offerings on course_offerings.id = discussion_threads.course_offering_id
  join courses on courses.id = course_offerings.course_id`;

/** Staff of the course read and moderate all its discussions. */
export const moderateDiscussionsCondition = (actor: Actor): SQL =>
  offeringPermissionCondition(actor, "discussion:moderate");

const enrolled = (actor: Actor): SQL => sql`exists (
  select from enrollments
  where ${and(sql`user_id = ${actor.id}`, tokenReachCondition(actor, sql`courses.university_id`, { offering: sql`course_offerings.id` }))}
    and course_offering_id = course_offerings.id and is_admitted)`;

/** On `course_offerings`, joined with `courses`. */
export const readableDiscussionsCondition = (actor: Actor): SQL => sql`(
  ${visibleCourseCondition(actor)} and (${offeringPermissionCondition(actor, "discussion:read")} or ${enrolled(actor)}))`;

/**
 * Threads about hidden content are for staff. Private ones are also for their author and learner.
 * `can_read_discussion_thread` (notifications.sql) has the same rule.
 */
export const readableThreadCondition = (actor: Actor): SQL => sql`(
  ${readableDiscussionsCondition(actor)} and (${offeringPermissionCondition(actor, "discussion:read")} or (
    (discussion_threads.visible = 'class'
      or coalesce(${actor.id} in (discussion_threads.created_by_user_id, discussion_threads.learner_user_id), false))
    and (discussion_threads.module_id is null or is_module_published_with_ancestors(discussion_threads.module_id))
    and (discussion_threads.content_item_id is null or is_item_published_with_ancestors(discussion_threads.content_item_id)))))`;

/** Undefined without a group. Learners cannot use it to discover members of other groups. */
export const writtenByGroupMemberCondition = (
  actor: Actor,
  group: number | undefined,
  writer: SQLWrapper,
): SQL | undefined => {
  const written = groupMemberCondition(group, sql`course_offerings.id`, writer);
  const own = groupMemberCondition(group, sql`course_offerings.id`, sql`${actor.id}::int`);
  return (
    written && sql`(${written} and (${offeringPermissionCondition(actor, "discussion:read")} or ${own}))`
  );
};

/** 404 if the caller cannot see the offering. */
export async function hasDiscussionAccess(db: ReadDb, actor: Actor, offeringId: number): Promise<boolean> {
  const [part] = await rowsOf(
    db,
    z.object({ takes_part: z.boolean() }),
    sql`
      select ${readableDiscussionsCondition(actor)} as takes_part from ${offeringsWithCoursesSql}
      where course_offerings.id = ${offeringId} and ${visibleCourseCondition(actor)}`,
  );
  if (!part) throw notFound("Offering");
  return part.takes_part;
}

/** 404 for an offering that the caller cannot see, 403 without an enrollment. */
export async function ensureDiscussionAccess(db: ReadDb, actor: Actor, offeringId: number): Promise<void> {
  if (!(await hasDiscussionAccess(db, actor, offeringId))) throw forbidden("not_enrolled");
}
