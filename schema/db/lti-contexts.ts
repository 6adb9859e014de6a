import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  varchar,
} from "drizzle-orm/pg-core";
import { type LtiSource, ltiSources, type OfferingStaffRole, offeringStaffRoles } from "../enums.ts";
import { id, instant, now, oneOf, reference, timestamps, upperEnum } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { enrollments } from "./enrollments.ts";
import { ltiDeployments, ltiPlatforms } from "./lti-platforms.ts";
import { modules } from "./modules.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/**
 * A course of an LMS (a context of LTI) that is bound to an offering; there is no row for one that is not. Several may be
 * bound to one offering. Whoever unbinds deletes the row: what it has given stays, and is nobody's to take but staff's.
 */
export const ltiContexts = pgTable(
  "lti_contexts",
  {
    id: id(),
    platform_id: integer().notNull(),
    deployment_id: integer().notNull(),
    /** As the platform spells it. */
    context_id: varchar({ length: 255 }).notNull(),
    /** What people of the LMS call the course. */
    title: varchar({ length: 255 }).notNull(),
    course_offering_id: integer().notNull(),
    /** The platform's, and the offering's. */
    university_id: integer().notNull(),
    /** Where its roster is read (NRPS), as the last launch said; null where the platform offers none. */
    memberships_url: varchar({ length: 2000 }),
    /** Where its columns of grades are (AGS), and what the tool may do there. */
    line_items_url: varchar({ length: 2000 }),
    grade_scopes: text().array().notNull().default([]),
    bound_by_user_id: reference(() => users.id, "set null"),
    last_launched_at: instant(),
    ...timestamps(),
  },
  (table) => [
    // Of two who bind it at once the later is told to what it is bound.
    unique().on(table.platform_id, table.deployment_id, table.context_id),
    foreignKey({
      name: "lti_contexts_platform_id_lti_platforms_id_fk",
      columns: [table.platform_id, table.university_id],
      foreignColumns: [ltiPlatforms.id, ltiPlatforms.university_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "lti_contexts_deployment_id_lti_deployments_id_fk",
      columns: [table.deployment_id, table.platform_id],
      foreignColumns: [ltiDeployments.id, ltiDeployments.platform_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "lti_contexts_course_offering_id_course_offerings_id_fk",
      columns: [table.course_offering_id, table.university_id],
      foreignColumns: [courseOfferings.id, courseOfferings.university_id],
    }).onDelete("cascade"),
    index().on(table.deployment_id),
    index().on(table.course_offering_id),
    index().on(table.bound_by_user_id),
  ],
);

/**
 * A link of a bound course (a resource link): it leads to an item, to a module, or, where it names neither, to the course.
 * Made by its first launch, or by deep linking.
 */
export const ltiLinks = pgTable(
  "lti_links",
  {
    id: id(),
    context_id: reference(() => ltiContexts.id, "cascade").notNull(),
    /** As the platform spells it. */
    resource_link_id: varchar({ length: 255 }).notNull(),
    title: varchar({ length: 255 }),
    content_item_id: reference(() => contentItems.id, "cascade"),
    module_id: reference(() => modules.id, "cascade"),
    /** The link's own column of grades (AGS), as a launch told it; null for a link without one. */
    line_item_url: varchar({ length: 2000 }),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.context_id, table.resource_link_id),
    index().on(table.content_item_id),
    index().on(table.module_id),
    index().on(table.line_item_url),
    check("lti_links_target_check", sql`num_nonnulls(${table.content_item_id}, ${table.module_id}) <= 1`),
  ],
);

/**
 * Who has their seat from a bound course of an LMS, by a launch or its roster, which alone may then take it. Whom staff
 * drop the row stays with (`enrollments.is_dropped_by_staff`), and gets no other seat from there.
 */
export const ltiEnrollments = pgTable(
  "lti_enrollments",
  {
    enrollment_id: reference(() => enrollments.id, "cascade").notNull(),
    context_id: reference(() => ltiContexts.id, "cascade").notNull(),
    source: upperEnum<LtiSource>().notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    primaryKey({ columns: [table.enrollment_id, table.context_id] }),
    index().on(table.context_id),
    oneOf(table.source, ltiSources),
  ],
);

/**
 * Who is staff of one offering, because an LMS says so: they have its roster, progress, gradebook and threads, no role in
 * the university, and write nothing of the course. Beside those whom the university named (`course_offering_instructors`).
 */
export const offeringStaff = pgTable(
  "offering_staff",
  {
    id: id(),
    course_offering_id: integer().notNull(),
    university_id: integer().notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    role: upperEnum<OfferingStaffRole>().notNull(),
    source: upperEnum<LtiSource>().notNull(),
    /** The bound course that says so, and alone takes it back; null once that is unbound. */
    lti_context_id: reference(() => ltiContexts.id, "set null"),
    created_at: instant().notNull().default(now),
    /** When staff took it back: from then on it gives nothing, and no LMS gives it again until they let it. */
    removed_at: instant(),
  },
  (table) => [
    // One row a person: of two courses of LMSs that are bound to the offering, the later says what they are.
    unique().on(table.course_offering_id, table.user_id),
    foreignKey({
      name: "offering_staff_course_offering_id_course_offerings_id_fk",
      columns: [table.course_offering_id, table.university_id],
      foreignColumns: [courseOfferings.id, courseOfferings.university_id],
    }).onDelete("cascade"),
    index().on(table.user_id),
    index().on(table.lti_context_id),
    oneOf(table.role, offeringStaffRoles),
    oneOf(table.source, ltiSources),
  ],
);
