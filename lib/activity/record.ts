import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../auth/actor.ts";
import { dateIn } from "../users/streak.ts";

/**
 * The parts of a statement that record an activity beside the thing itself, so that neither happens without the
 * other and no round trip is added: one row of `activity_events`, and the person's streak. `done` names an
 * earlier part whose rows have the columns verb, object_type, object_id, university_id, content_item_id and
 * course_offering_id; without a row nothing is recorded.
 *
 * The streak counts days in the person's own time zone: the same day keeps it, the next adds one, a gap starts
 * again at 1. A day before the last active one (a clock set back, a move west) keeps it as well.
 */
export function activityParts(actor: Actor, now: Date, done: SQL): SQL {
  const today = dateIn(actor.profile.time_zone, now);
  return sql`
    activity as (
      insert into activity_events
        (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id, occurred_at)
      select ${actor.id}::int, verb, object_type, object_id, university_id, content_item_id, course_offering_id,
             ${now.toISOString()}::timestamptz
      from ${done}
    ), streak as (
      update users
      set current_streak_days =
            case when last_activity_date = ${today}::date - 1 then current_streak_days + 1 else 1 end,
          last_activity_date = ${today}::date
      where id = ${actor.id} and (last_activity_date is null or last_activity_date < ${today}::date)
        and exists (select from ${done})
    )`;
}
