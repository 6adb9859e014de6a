import { foreignKey, index, integer, pgTable, unique } from "drizzle-orm/pg-core";
import { users } from "../identity/users.ts";
import { id, instant, now, reference } from "../platform/columns.ts";
import { coursePrerequisites } from "./courses.ts";

export const courseExemptions = pgTable(
  "course_exemptions",
  {
    id: id(),
    course_id: integer().notNull(),
    prerequisite_course_id: integer().notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    granted_by_user_id: reference(() => users.id, "set null"),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    unique("course_exemptions_unique").on(table.course_id, table.prerequisite_course_id, table.user_id),
    foreignKey({
      name: "course_exemptions_prerequisite_fk",
      columns: [table.prerequisite_course_id, table.course_id],
      foreignColumns: [coursePrerequisites.prerequisite_course_id, coursePrerequisites.course_id],
    }).onDelete("cascade"),
    index().on(table.prerequisite_course_id, table.course_id),
    index().on(table.user_id),
    index().on(table.granted_by_user_id),
  ],
);
