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
import { type LtiSource, ltiSources, type OfferingStaffRole, offeringStaffRoles } from "../../enums.ts";
import { contentItems } from "../courses/content-items.ts";
import { enrollments } from "../courses/enrollments.ts";
import { modules } from "../courses/modules.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import { id, instant, now, oneOf, reference, timestamps, upperEnum } from "../platform/columns.ts";
import { ltiDeployments, ltiPlatforms } from "./lti-platforms.ts";

/**
 * An LMS course (LTI context) bound to an offering; unbound ones have no row. An offering may have several.
 * Unbinding deletes the row; granted access then belongs to staff alone to revoke.
 */
export const ltiContexts = pgTable(
  "lti_contexts",
  {
    id: id(),
    platform_id: integer().notNull(),
    deployment_id: integer().notNull(),
    /** The platform's spelling. */
    context_id: varchar({ length: 255 }).notNull(),
    /** The course's title in the LMS. */
    title: varchar({ length: 255 }).notNull(),
    course_offering_id: integer().notNull(),
    /** Of both platform and offering. */
    university_id: integer().notNull(),
    /** URL of the roster (NRPS) from the last launch; null without one. */
    memberships_url: varchar({ length: 2000 }),
    /** URL of line items (AGS), and the permitted scopes. */
    line_items_url: varchar({ length: 2000 }),
    grade_scopes: text().array().notNull().default([]),
    bound_by_user_id: reference(() => users.id, "set null"),
    last_launched_at: instant(),
    ...timestamps(),
  },
  (table) => [
    // Of concurrent bindings the later one gets the existing offering.
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
 * A link of a bound course (resource link) to an item, a module, or otherwise the course. Created by its
 * first launch or by deep linking.
 */
export const ltiLinks = pgTable(
  "lti_links",
  {
    id: id(),
    context_id: reference(() => ltiContexts.id, "cascade").notNull(),
    /** The platform's spelling. */
    resource_link_id: varchar({ length: 255 }).notNull(),
    title: varchar({ length: 255 }),
    content_item_id: reference(() => contentItems.id, "cascade"),
    module_id: reference(() => modules.id, "cascade"),
    /** The link's own line item (AGS) from a launch; null without one. */
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
 * Enrollments from a bound LMS course, by launch or roster; only that course may end them. The row stays if
 * staff drop the person (`enrollments.is_dropped_by_staff`), so the LMS does not enroll them again.
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
 * Staff of one offering by an LMS: they read roster, progress, gradebook and threads. They have no role in
 * the university and cannot edit the course. In addition to instructors (`course_offering_instructors`).
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
    /** The bound course that granted and may revoke it; null after unbinding. */
    lti_context_id: reference(() => ltiContexts.id, "set null"),
    created_at: instant().notNull().default(now),
    /** When staff removed the person; LMSs cannot restore them until staff allow it. */
    removed_at: instant(),
  },
  (table) => [
    // One row per person: of two bound courses the later one decides.
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
