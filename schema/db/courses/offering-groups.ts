import { sql } from "drizzle-orm";
import { boolean, check, foreignKey, index, integer, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { type GroupRole, groupRoles } from "../../enums.ts";
import { users } from "../identity/users.ts";
import { id, instant, now, oneOf, reference, timestamps, upperEnum } from "../platform/columns.ts";
import { contentItems } from "./content-items.ts";
import { courses } from "./courses.ts";
import { modules } from "./modules.ts";
import { courseOfferings } from "./offerings.ts";

/** A group within an offering; `capacity` null for no limit. */
export const offeringGroups = pgTable(
  "offering_groups",
  {
    id: id(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    name: varchar({ length: 255 }).notNull(),
    capacity: integer(),
    /** Whether enrolled people may join and leave. */
    self_enrollment: boolean().notNull().default(false),
    ...timestamps(),
  },
  (table) => [
    unique("offering_groups_unique").on(table.course_offering_id, table.name),
    // The target of foreign keys that must stay within one offering.
    unique("offering_groups_of_offering").on(table.id, table.course_offering_id),
    // Orders pages by creation.
    index().on(table.course_offering_id, table.id),
    check("offering_groups_capacity_check", sql`${table.capacity} > 0`),
  ],
);

/**
 * Members of a group, with seats in the offering, and its staff. The database removes people who lose their
 * seats.
 */
export const offeringGroupMembers = pgTable(
  "offering_group_members",
  {
    id: id(),
    group_id: integer().notNull(),
    course_offering_id: integer().notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    group_role: upperEnum<GroupRole>().notNull(),
    joined_at: instant().notNull().default(now),
  },
  (table) => [
    unique("offering_group_members_unique").on(table.group_id, table.user_id),
    foreignKey({
      name: "offering_group_members_group_fk",
      columns: [table.group_id, table.course_offering_id],
      foreignColumns: [offeringGroups.id, offeringGroups.course_offering_id],
    }).onDelete("cascade"),
    index().on(table.course_offering_id, table.user_id),
    index().on(table.user_id),
    oneOf(table.group_role, groupRoles),
  ],
);

/** A group's dates for a module or item, like an offering's (offering-dates.ts). */
export const offeringGroupDates = pgTable(
  "offering_group_dates",
  {
    id: id(),
    /** The offering's course: tells whether a course has any overrides. */
    course_id: reference(() => courses.id, "cascade").notNull(),
    course_offering_id: integer().notNull(),
    group_id: integer().notNull(),
    module_id: reference(() => modules.id, "cascade"),
    content_item_id: reference(() => contentItems.id, "cascade"),
    available_from: instant(),
    due_at: instant(),
    updated_at: instant().notNull().default(now),
  },
  (table) => [
    unique("offering_group_dates_unique")
      .on(table.group_id, table.content_item_id, table.module_id)
      .nullsNotDistinct(),
    foreignKey({
      name: "offering_group_dates_group_fk",
      columns: [table.group_id, table.course_offering_id],
      foreignColumns: [offeringGroups.id, offeringGroups.course_offering_id],
    }).onDelete("cascade"),
    index().on(table.course_offering_id),
    index().on(table.module_id),
    index().on(table.content_item_id),
    index().on(table.course_id),
    index("offering_group_dates_openings_index")
      .on(table.course_id)
      .where(sql`${table.available_from} is not null`),
    index("offering_group_dates_due_index").on(table.due_at).where(sql`${table.due_at} is not null`),
    check("offering_group_dates_of_one", sql`num_nonnulls(${table.module_id}, ${table.content_item_id}) = 1`),
    check(
      "offering_group_dates_say_something",
      sql`num_nonnulls(${table.available_from}, ${table.due_at}) > 0`,
    ),
    check("offering_group_dates_due_at_check", sql`${table.due_at} > ${table.available_from}`),
  ],
);
