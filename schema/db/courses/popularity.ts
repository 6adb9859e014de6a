import { index, integer, pgTable, unique } from "drizzle-orm/pg-core";
import { reference } from "../platform/columns.ts";
import { courses } from "./courses.ts";
import { subjects } from "./subjects.ts";

/**
 * Number of active or completed enrollments of a course: one row without a subject, and one for each of its
 * subjects. Separate from courses, so enrolling does not wait for editors. Maintained by the database.
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
    // `order by … desc` puts nulls first, and only an index with the same order can serve it.
    index().on(table.subject_id, table.enrollments.desc().nullsFirst(), table.course_id),
  ],
);
