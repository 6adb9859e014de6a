import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, pgTable, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
import { id, instant, reference, timestamps } from "../platform/columns.ts";
import { courseOfferings } from "./offerings.ts";

/** An announcement to the people of an offering or a university. */
export const announcements = pgTable(
  "announcements",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    /** Null for the whole university. */
    course_offering_id: integer(),
    title: varchar({ length: 255 }).notNull(),
    body: text().notNull(),
    /** Null after the author erased their account: an official announcement stays. */
    created_by_user_id: reference(() => users.id, "set null"),
    /** When readers first see it; may be in the future. */
    published_at: instant().notNull(),
    /** Readers up to this person have been notified. */
    told_through: integer().notNull().default(0),
    /** When the last reader was notified. */
    told_at: instant(),
    ...timestamps(),
  },
  (table) => [
    foreignKey({
      name: "announcements_course_offering_id_course_offerings_id_fk",
      columns: [table.course_offering_id, table.university_id],
      foreignColumns: [courseOfferings.id, courseOfferings.university_id],
    }).onDelete("cascade"),
    index().on(table.course_offering_id, table.published_at, table.id),
    index().on(table.university_id, table.published_at, table.id),
    index().on(table.created_by_user_id),
    // Few announcements are for a whole university.
    index("announcements_of_university_index")
      .on(table.university_id, table.published_at)
      .where(sql`${table.course_offering_id} is null`),
    index("announcements_untold_index").on(table.published_at).where(sql`${table.told_at} is null`),
    check("announcements_told_through_check", sql`${table.told_through} >= 0`),
  ],
);

export const announcementReads = pgTable(
  "announcement_reads",
  {
    announcement_id: reference(() => announcements.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    read_at: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.announcement_id, table.user_id] }), index().on(table.user_id)],
);
