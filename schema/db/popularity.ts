import { index, integer, pgTable, unique } from "drizzle-orm/pg-core";
import { reference } from "./columns.ts";
import { courses } from "./courses.ts";
import { subjects } from "./subjects.ts";

/**
 * How many enrollments of a course are active or completed: in one row of the course itself, without a subject, and
 * once more for each subject that it teaches. The database keeps it, apart from the courses, so that enrolling waits
 * for nobody who changes the course.
 */
export const coursePopularity = pgTable(
  "course_popularity",
  {
    course_id: reference(() => courses.id, "cascade").notNull(),
    subject_id: reference(() => subjects.id, "cascade"),
    enrollments: integer().notNull().default(0),
  },
  (table) => [
    unique("course_popularity_key").on(table.course_id, table.subject_id).nullsNotDistinct(),
    // `order by … desc` puts nulls first, and only an index that says the same can serve it.
    index().on(table.subject_id, table.enrollments.desc().nullsFirst(), table.course_id),
  ],
);
