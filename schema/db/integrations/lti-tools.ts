import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  varchar,
} from "drizzle-orm/pg-core";
import { type LtiToolTarget, ltiToolTargets } from "../../enums.ts";
import { courses } from "../courses/courses.ts";
import { universities } from "../identity/universities.ts";
import {
  id,
  instant,
  jsonObject,
  now,
  oneOf,
  reference,
  timestamps,
  upperEnum,
} from "../platform/columns.ts";

/** A tool of another vendor that runs in the courses of a university, or of all, by LTI 1.3. */
export const ltiTools = pgTable(
  "lti_tools",
  {
    id: id(),
    /** Null for a tool of the platform, deployed in all universities. */
    university_id: reference(() => universities.id, "cascade"),
    name: varchar({ length: 255 }).notNull(),
    /** Generated here, unique across universities. */
    client_id: varchar({ length: 64 }).notNull().unique(),
    login_url: varchar({ length: 1000 }).notNull(),
    /** The target of items without an address of their own. */
    launch_url: varchar({ length: 1000 }).notNull(),
    /** Null if the tool has no Deep Linking. */
    deep_linking_url: varchar({ length: 1000 }),
    redirect_uris: text().array().notNull(),
    /** The tool's keys: at an address, or as a JSON Web Key Set. */
    jwks_url: varchar({ length: 1000 }),
    public_jwks: jsonObject<{ keys: Record<string, unknown>[] }>(),
    shares_name: boolean().notNull().default(false),
    shares_email: boolean().notNull().default(false),
    custom_parameters: jsonObject<Record<string, string>>().notNull().default({}),
    target: upperEnum<LtiToolTarget>().notNull().default(sql`'frame'`),
    /** Whether it is in the navigation of all offerings in which it is deployed. */
    in_navigation: boolean().notNull().default(false),
    /** Encrypts account ids, so each tool knows people by other subjects. Never answered. */
    subject_key: varchar({ length: 32 }).notNull(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.university_id),
    // The target of foreign keys that must stay within one university.
    unique().on(table.id, table.university_id),
    oneOf(table.target, ltiToolTargets),
    check("lti_tools_keys_check", sql`num_nonnulls(${table.jwks_url}, ${table.public_jwks}) = 1`),
  ],
);

/** Where a tool may be used: in one course, or without one in all of its university. */
export const ltiToolDeployments = pgTable(
  "lti_tool_deployments",
  {
    id: id(),
    tool_id: integer().notNull(),
    university_id: integer().notNull(),
    course_id: integer(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    unique("lti_tool_deployments_unique").on(table.tool_id, table.course_id).nullsNotDistinct(),
    foreignKey({
      name: "lti_tool_deployments_tool_fk",
      columns: [table.tool_id, table.university_id],
      foreignColumns: [ltiTools.id, ltiTools.university_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "lti_tool_deployments_course_fk",
      columns: [table.course_id, table.university_id],
      foreignColumns: [courses.id, courses.university_id],
    }).onDelete("cascade"),
    index().on(table.tool_id, table.university_id),
    index().on(table.course_id, table.university_id),
  ],
);
