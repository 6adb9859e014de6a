import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../../identity/auth/actor.ts";
import { dateInTimeZone } from "../../identity/users/streak.ts";

/**
 * The CTE `activity` records in the same round trip what the person did by the CTE `done`, and their streak.
 * `done` has the columns verb, object_type, object_id, university_id, content_item_id and course_offering_id.
 * The statement must read from `activity`.
 */
export function recordActivityCte(actor: Actor, now: Date, done: SQL): SQL {
  const { time_zone, last_activity_date } = actor.profile;
  return sql`
    activity as (
      select add_activity_event_and_update_streak(
        ${actor.id}, verb, jsonb_build_object('type', object_type, 'id', object_id, 'content_item', content_item_id),
        university_id, course_offering_id, ${now.toISOString()}, ${dateInTimeZone(time_zone, now)}, ${last_activity_date}::date)
      from ${done}
    )`;
}
