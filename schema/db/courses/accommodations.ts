import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { type OfficeRight, officeRights } from "../../enums.ts";
import { universityMembers } from "../identity/university-members.ts";
import { calendarDate, decimal, id, instant, now, oneOf } from "../platform/columns.ts";

/** Rights for an office that a university grants to a person, in addition to roles. */
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

/** A person's extra time at a university in numbers, without a reason. */
export const accommodations = pgTable(
  "accommodations",
  {
    id: id(),
    university_id: integer().notNull(),
    user_id: integer().notNull(),
    /** Factor of time limits. */
    time_factor: decimal(3, 2).notNull(),
    /** Days added to due dates. */
    extra_days: integer().notNull(),
    /** The last valid day in the university's time zone; null for no end. */
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
