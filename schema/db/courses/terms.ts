import { sql } from "drizzle-orm";
import { check, index, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { universities } from "../identity/universities.ts";
import { calendarDate, id, reference, timestamps } from "../platform/columns.ts";

/** An academic term in calendar days, both included. */
export const terms = pgTable(
  "terms",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    name: varchar({ length: 255 }).notNull(),
    starts_on: calendarDate().notNull(),
    ends_on: calendarDate().notNull(),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.university_id, table.name),
    // The target of foreign keys that must stay within one university.
    unique().on(table.id, table.university_id),
    index().on(table.university_id, table.starts_on, table.id),
    check("terms_ends_on_check", sql`${table.ends_on} >= ${table.starts_on}`),
  ],
);
