import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { subjects } from "../courses/subjects.ts";
import { calendarDate, reference, timestamps } from "../platform/columns.ts";
import { users } from "./users.ts";

export const userProfiles = pgTable("user_profiles", {
  user_id: reference(() => users.id, "cascade").primaryKey(),
  date_of_birth: calendarDate(),
  learning_goal: text(),
  study_level: text(),
  grade: text(),
  ...timestamps(),
});

export const userSubjectPreferences = pgTable(
  "user_subject_preferences",
  {
    user_id: reference(() => users.id, "cascade").notNull(),
    subject_id: reference(() => subjects.id, "cascade").notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.subject_id] }), index().on(table.subject_id)],
);
