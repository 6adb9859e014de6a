import { type SQL, sql } from "drizzle-orm";
import { courseProgressOf } from "./totals.ts";

/**
 * How many trees of each course, or of one, were interrupted at the end of a day (`course_id`, `amount`): begun, not
 * complete, and not touched for 14 days, by activity in the offering neither. The events are joined: a list of them is
 * searched once for each tree where it is too long for the memory of a statement.
 */
export const interruptedProgress = (day: SQL, courseId?: number): SQL => sql`(
  select course_id, count(*) as amount from ${courseProgressOf(courseId)} as tree
  where begun_on <= ${day} and (completed_on is null or completed_on > ${day}) and not fresh_on @> ${day}
    and not exists (
      select from activity_events as event
      where (event.course_offering_id, event.user_id) = (tree.course_offering_id, tree.user_id)
        and occurred_at >= utc_midnight(${day} - 13) and occurred_at < utc_midnight(${day} + 1))
  group by course_id)`;
