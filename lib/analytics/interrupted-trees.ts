import { type SQL, sql } from "drizzle-orm";

/**
 * How many trees of each course (`course_id`, `amount`) were interrupted at the end of a day: begun, not complete, and
 * not touched for 14 days, by activity in the offering neither.
 */
export const interruptedTrees = (day: SQL): SQL => sql`(
  select course_id, count(*) as amount from trees
  where begun_on <= ${day} and (completed_on is null or completed_on > ${day}) and not fresh_on @> ${day}
    and (course_offering_id, user_id) not in (
      select course_offering_id, user_id from activity_events
      where course_offering_id is not null
        and occurred_at >= utc_midnight(${day} - 13) and occurred_at < utc_midnight(${day} + 1))
  group by course_id)`;
