import { integer, pgTable, primaryKey, varchar } from "drizzle-orm/pg-core";
import { calendarDate } from "../platform/columns.ts";
import { universities } from "./universities.ts";

/**
 * The time zones of a university's reports, each from a day on (schema/functions/identity/university-days.sql). The
 * first is UTC from the year 1; a university that always used UTC has no row.
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
