import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { courses } from "../courses/courses.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import { bigId, reference, timestamps } from "../platform/columns.ts";

/** A person's review of an offering they are enrolled in: 1 to 5, one each. */
export const courseReviews = pgTable(
  "course_reviews",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    rating: integer().notNull(),
    review_text: text(),
    /** Text hidden by staff from everyone except its author and staff; the rating counts. */
    is_hidden: boolean().notNull().default(false),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.user_id, table.course_offering_id),
    index().on(table.course_offering_id, table.created_at, table.id),
    check("course_reviews_rating_check", sql`${table.rating} between 1 and 5`),
  ],
);

/**
 * Totals of a course's reviews. Separate from courses, so reviewing does not wait for editors. Maintained by
 * the database.
 */
export const courseRatings = pgTable("course_ratings", {
  course_id: reference(() => courses.id, "cascade").primaryKey(),
  reviews: integer().notNull().default(0),
  rating_sum: integer().notNull().default(0),
});
