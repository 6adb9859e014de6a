import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { type OfferSource, offerSources, type Role, roles } from "../../enums.ts";
import { departments } from "../identity/departments.ts";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
import { id, instant, lowerEnum, oneOf, reference, upperEnum } from "../platform/columns.ts";
import { coursePrerequisites } from "./courses.ts";
import { courseOfferings } from "./offerings.ts";

/**
 * An offer to an address: a role, a seat in an offering, or both; or teaching an offering; or an exemption
 * from a prerequisite. Grants, invitations and imports create offers for people outside the university.
 * Acceptance requires that the creator still has the right (schema/functions/courses/invitations.sql).
 */
export const invitations = pgTable(
  "invitations",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    email: varchar({ length: 255 }).notNull(),
    role: upperEnum<Role>(),
    department_id: integer(),
    course_offering_id: integer(),
    /** Whether accepting makes the person an instructor instead of enrolling them. */
    teaches: boolean().notNull().default(false),
    /** For exemptions: the course, and its prerequisite. */
    course_id: integer(),
    prerequisite_course_id: integer(),
    /** Null after account deletion, which voids the offer. */
    invited_by_user_id: reference(() => users.id, "set null"),
    created_at: instant().notNull(),
    expires_at: instant().notNull(),
    /** SHA-256 in hexadecimal of the newest link's token; null until a mail was created. */
    token_hash: varchar({ length: 64 }).unique(),
    /** Its mail in the outbox, if any. */
    mail_id: bigint({ mode: "number" }),
    accepted_at: instant(),
    accepted_by_user_id: reference(() => users.id, "cascade"),
    /** When it was revoked or declined. */
    revoked_at: instant(),
    /** When the recipient declined it; null if it was revoked. */
    declined_at: instant(),
    source: lowerEnum<OfferSource>().notNull().default("operation"),
    /** Whether it ignores enrollment windows, prerequisites and capacity. */
    overrides: boolean().notNull().default(false),
    /** For imports: the person's id in the university's own system, assigned on acceptance. */
    sourced_id: varchar({ length: 255 }),
    search_text: text().generatedAlwaysAs(sql`searched(email)`),
  },
  (table) => [
    foreignKey({
      name: "invitations_department_id_departments_id_fk",
      columns: [table.department_id, table.university_id],
      foreignColumns: [departments.id, departments.university_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "invitations_course_offering_id_course_offerings_id_fk",
      columns: [table.course_offering_id, table.university_id],
      foreignColumns: [courseOfferings.id, courseOfferings.university_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "invitations_prerequisite_fk",
      columns: [table.prerequisite_course_id, table.course_id],
      foreignColumns: [coursePrerequisites.prerequisite_course_id, coursePrerequisites.course_id],
    }).onDelete("cascade"),
    // Concurrent equal offers to an address create only one.
    uniqueIndex("invitations_open_key")
      .on(
        table.university_id,
        table.email,
        sql`coalesce(${table.role}, '')`,
        sql`coalesce(${table.department_id}, 0)`,
        sql`coalesce(${table.course_offering_id}, 0)`,
        table.teaches,
        sql`coalesce(${table.course_id}, 0)`,
        sql`coalesce(${table.prerequisite_course_id}, 0)`,
      )
      .where(sql`accepted_at is null and revoked_at is null`),
    index().on(table.email).where(sql`accepted_at is null and revoked_at is null`),
    index().on(table.university_id, table.id),
    index("invitations_search_index").using("gin", sql`${table.search_text} gin_trgm_ops`),
    index().on(table.department_id),
    index().on(table.course_offering_id),
    index().on(table.prerequisite_course_id, table.course_id),
    index().on(table.invited_by_user_id),
    index().on(table.accepted_by_user_id),
    index().on(table.university_id, table.sourced_id).where(sql`sourced_id is not null`),
    oneOf(table.role, roles),
    oneOf(table.source, offerSources),
    check(
      "invitations_offer_check",
      sql`${table.role} is not null or ${table.department_id} is null
        and num_nonnulls(${table.course_offering_id}, ${table.course_id}) = 1`,
    ),
    check(
      "invitations_exemption_check",
      sql`(${table.course_id} is null) = (${table.prerequisite_course_id} is null)
        and (${table.course_id} is null or ${table.role} is null)`,
    ),
    check("invitations_teaches_check", sql`not ${table.teaches} or ${table.course_offering_id} is not null`),
  ],
);
