import { boolean, index, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { decimal, id, instant, reference } from "./columns.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** A person's final grade in an offering. */
export const courseGrades = pgTable(
  "course_grades",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    final_score: decimal(6, 2),
    letter_grade: varchar({ length: 8 }),
    passed: boolean(),
    graded_at: instant(),
  },
  (table) => [
    unique().on(table.user_id, table.course_offering_id),
    index().on(table.course_offering_id, table.user_id),
  ],
);
