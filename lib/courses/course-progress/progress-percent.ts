import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { typedSql } from "../../platform/db/query/rows.ts";

/** From 0 to 100, by the rows of the offering's items. */
export const computedProgressPercentSql = (offering: SQL, person: SQL): SQL =>
  sql`(select own.progress_percent from course_progress_of_people(${offering}, array[${person}]) as own)`;

/**
 * The stored progress of a row of `enrollments`, from 0 to 100. Computed for a row that the same statement
 * inserts, which does not see the stored value yet.
 */
export const storedProgressPercentSql = typedSql(z.number())`coalesce((
    select kept.progress_percent from enrollment_progress as kept
    where kept.user_id = enrollments.user_id and kept.course_offering_id = enrollments.course_offering_id
  ), ${computedProgressPercentSql(sql`enrollments.course_offering_id`, sql`enrollments.user_id`)})::float8`;
