import { sql } from "drizzle-orm";
import { check, index, pgTable, unique } from "drizzle-orm/pg-core";
import { id, instant, now, reference } from "../platform/columns.ts";
import { contentItems } from "./content-items.ts";
import { courses } from "./courses.ts";
import { modules } from "./modules.ts";
import { courseOfferings } from "./offerings.ts";

/**
 * An offering's dates for a module or item, overriding the course's. Null inherits the course's date;
 * infinity means none, -infinity an immediate opening. Read only by dates.sql.
 */
export const offeringDates = pgTable(
  "offering_dates",
  {
    id: id(),
    /** The offering's course: tells whether a course has any overrides. */
    course_id: reference(() => courses.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    module_id: reference(() => modules.id, "cascade"),
    content_item_id: reference(() => contentItems.id, "cascade"),
    available_from: instant(),
    due_at: instant(),
    updated_at: instant().notNull().default(now),
  },
  (table) => [
    unique("offering_dates_unique")
      .on(table.course_offering_id, table.content_item_id, table.module_id)
      .nullsNotDistinct(),
    index().on(table.module_id),
    index().on(table.content_item_id),
    index("offering_dates_openings_index")
      .on(table.course_id)
      .where(sql`${table.available_from} is not null`),
    index("offering_dates_due_index").on(table.due_at).where(sql`${table.due_at} is not null`),
    index().on(table.course_id),
    check("offering_dates_of_one", sql`num_nonnulls(${table.module_id}, ${table.content_item_id}) = 1`),
    check("offering_dates_say_something", sql`num_nonnulls(${table.available_from}, ${table.due_at}) > 0`),
    check("offering_dates_due_at_check", sql`${table.due_at} > ${table.available_from}`),
  ],
);
