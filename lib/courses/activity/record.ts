import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../../identity/auth/actor.ts";
import { dateIn } from "../../identity/users/streak.ts";

/**
 * The part `activity` of a statement, which records what its part `done` says that the person did, and their streak, in
 * the statement's one round trip. The rows of `done` have the columns verb, object_type, object_id, university_id,
 * content_item_id and course_offering_id. It is run only where the statement reads from it.
 */
export function activityPart(actor: Actor, now: Date, done: SQL): SQL {
  const { time_zone, last_activity_date } = actor.profile;
  return sql`
    activity as (
      select record_activity(
        ${actor.id}, verb, jsonb_build_object('type', object_type, 'id', object_id, 'content_item', content_item_id),
        university_id, course_offering_id, ${now.toISOString()}, ${dateIn(time_zone, now)}, ${last_activity_date}::date)
      from ${done}
    )`;
}
