import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import type { Actor } from "../auth/actor.ts";
import { inReach } from "../auth/token-reach.ts";
import { inGroup } from "../courses/in-group.ts";
import { courseVisibleTo, offeringAllows } from "../courses/visibility.ts";
import type { ReadDb } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { forbidden, notFound } from "../errors.ts";

/** An offering with its course, which the conditions below are about. */
export const offeringsWithCourses = sql`course_offerings join courses on courses.id = course_offerings.course_id`;

/** A thread with its offering and course. */
export const threadsWithCourses = sql`
  discussion_threads
  join course_offerings on course_offerings.id = discussion_threads.course_offering_id
  join courses on courses.id = course_offerings.course_id`;

/** Whether the caller is staff of the course, who read and moderate all its discussions. */
export const moderates = (actor: Actor): SQL => offeringAllows(actor, "discussion:moderate");

const enrolled = (actor: Actor): SQL => sql`exists (
  select from enrollments
  where ${and(sql`user_id = ${actor.id}`, inReach(actor, sql`courses.university_id`, { offering: sql`course_offerings.id` }))}
    and course_offering_id = course_offerings.id and is_admitted)`;

/** Rows of `course_offerings`, beside their `courses`, in whose discussions the caller takes part. */
export const takesPartIn = (actor: Actor): SQL => sql`(
  ${courseVisibleTo(actor)} and (${offeringAllows(actor, "discussion:read")} or ${enrolled(actor)}))`;

/**
 * The same for threads: those about what is not shown are, like that, for staff alone, and those for staff also for who
 * began them, or whom they are with. `is_thread_open_to` (notifications.sql) says the same of a person.
 */
export const threadOpenTo = (actor: Actor): SQL => sql`(
  ${takesPartIn(actor)} and (${offeringAllows(actor, "discussion:read")} or (
    (discussion_threads.visible = 'class'
      or coalesce(${actor.id} in (discussion_threads.created_by_user_id, discussion_threads.learner_user_id), false))
    and (discussion_threads.module_id is null or is_module_published(discussion_threads.module_id))
    and (discussion_threads.content_item_id is null or is_item_public(discussion_threads.content_item_id)))))`;

/**
 * Of what is said in the row of `course_offerings`: what the people of a group have written; undefined without a group. Who
 * is in a group of which they are not, learners do not find out by it.
 */
export const writtenInGroup = (
  actor: Actor,
  group: number | undefined,
  writer: SQLWrapper,
): SQL | undefined => {
  const written = inGroup(group, sql`course_offerings.id`, writer);
  const own = inGroup(group, sql`course_offerings.id`, sql`${actor.id}::int`);
  return written && sql`(${written} and (${offeringAllows(actor, "discussion:read")} or ${own}))`;
};

/** Whether the caller takes part in an offering's discussions; 404 when they cannot see the offering. */
export async function takesPart(db: ReadDb, actor: Actor, offeringId: number): Promise<boolean> {
  const [part] = await rowsOf(
    db,
    z.object({ takes_part: z.boolean() }),
    sql`
      select ${takesPartIn(actor)} as takes_part from ${offeringsWithCourses}
      where course_offerings.id = ${offeringId} and ${courseVisibleTo(actor)}`,
  );
  if (!part) throw notFound("Offering");
  return part.takes_part;
}

/** Throws why an offering's discussions were not reached: 404 for an unseen offering, 403 without an enrollment. */
export async function ensureTakesPart(db: ReadDb, actor: Actor, offeringId: number): Promise<void> {
  if (!(await takesPart(db, actor, offeringId))) throw forbidden("not_enrolled");
}
