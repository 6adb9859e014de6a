import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { type OfficeRight, officeRights } from "../enums.ts";
import { calendarDate, decimal, id, instant, now, oneOf } from "./columns.ts";
import { universityMembers } from "./university-members.ts";

/** Rights that a university gives to one of its people for an office, beside any role. */
export const universityOffices = pgTable(
  "university_offices",
  {
    id: id(),
    university_id: integer().notNull(),
    user_id: integer().notNull(),
    office_right: text().$type<OfficeRight>().notNull(),
    granted_at: instant().notNull().default(now),
  },
  (table) => [
    unique("university_offices_unique").on(table.university_id, table.user_id, table.office_right),
    foreignKey({
      name: "university_offices_member_fk",
      columns: [table.university_id, table.user_id],
      foreignColumns: [universityMembers.university_id, universityMembers.user_id],
    }).onDelete("cascade"),
    index().on(table.user_id),
    oneOf(table.office_right, officeRights),
  ],
);

/** How much more time a university gives to one of its people, in numbers alone: nothing says why. */
export const accommodations = pgTable(
  "accommodations",
  {
    id: id(),
    university_id: integer().notNull(),
    user_id: integer().notNull(),
    /** How many times as long a time limit is. */
    time_factor: decimal(3, 2).notNull(),
    /** By how many days what is due is due later. */
    extra_days: integer().notNull(),
    /** The last day on which it holds, by the university's clock; null without an end. */
    valid_until: calendarDate(),
    updated_at: instant().notNull().default(now),
  },
  (table) => [
    unique("accommodations_unique").on(table.university_id, table.user_id),
    foreignKey({
      name: "accommodations_member_fk",
      columns: [table.university_id, table.user_id],
      foreignColumns: [universityMembers.university_id, universityMembers.user_id],
    }).onDelete("cascade"),
    index().on(table.user_id),
    check("accommodations_time_factor_check", sql`${table.time_factor} between 1 and 3`),
    check("accommodations_extra_days_check", sql`${table.extra_days} between 0 and 365`),
  ],
);
