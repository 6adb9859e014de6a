import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Work in an anonymous item is not shown with its person until its grades are released
 * (schema/functions/assessment/anonymous-work.sql).
 */
export const nonAnonymousActivityCondition = (event: SQLWrapper): SQL => sql`not (
  ${event}.verb in ('attempted', 'submitted') and is_grading_anonymous(${event}.course_offering_id, ${event}.content_item_id))`;
