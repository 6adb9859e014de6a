import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../../identity/auth/actor.ts";
import { dateInTimeZone } from "../../identity/users/streak.ts";

/**
 * The CTE `activity` records in the same round trip what the person did by the CTE `done`, and their streak.
 * `done` has the columns verb, object_type, object_id, university_id, content_item_id and course_offering_id.
 * The statement must read from `activity`.
 */
export const recordActivityCte = (actor: Actor, now: Date, done: SQL): SQL =>
  activityCte(activityValues(actor, now), done);

export const activityValues = ({ id, profile }: Actor, now: Date) => ({
  person: id,
  now: now.toISOString(),
  today: dateInTimeZone(profile.time_zone, now),
  last_active: profile.last_activity_date,
});

/** With the values of `activityValues`, or placeholders of them. */
export const activityCte = (
  { person, now, today, last_active }: Record<keyof ReturnType<typeof activityValues>, unknown>,
  done: SQL,
): SQL => sql`
  activity as (
    select add_activity_event_and_update_streak(
      ${person}, verb, jsonb_build_object('type', object_type, 'id', object_id, 'content_item', content_item_id),
      university_id, course_offering_id, ${now}, ${today}, ${last_active}::date)
    from ${done}
  )`;
