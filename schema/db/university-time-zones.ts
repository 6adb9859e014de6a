import { integer, pgTable, primaryKey, varchar } from "drizzle-orm/pg-core";
import { calendarDate } from "./columns.ts";
import { universities } from "./universities.ts";

/**
 * Whose time a university's reports count days in, each from one day on (schema/functions/university-days.sql). The first
 * of a university is UTC from the year 1 on, in which all was counted before; one whose days are all of UTC has none.
 */
export const universityTimeZones = pgTable(
  "university_time_zones",
  {
    university_id: integer()
      .notNull()
      .references(() => universities.id, { onDelete: "cascade" }),
    from_day: calendarDate().notNull(),
    time_zone: varchar({ length: 64 }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.university_id, table.from_day] })],
);
