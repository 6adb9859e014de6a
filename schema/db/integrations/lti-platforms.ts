import { boolean, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { universities } from "../identity/universities.ts";
import { id, instant, now, reference, timestamps } from "../platform/columns.ts";

/**
 * An LMS of a university that launches this service by LTI 1.3. It knows the tool as `client_id`; a hosted
 * LMS may use one issuer for many customers.
 */
export const ltiPlatforms = pgTable(
  "lti_platforms",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    name: varchar({ length: 255 }).notNull(),
    issuer: varchar({ length: 512 }).notNull(),
    client_id: varchar({ length: 255 }).notNull(),
    auth_login_url: varchar({ length: 1000 }).notNull(),
    auth_token_url: varchar({ length: 1000 }).notNull(),
    jwks_url: varchar({ length: 1000 }).notNull(),
    /** Origins that may frame the tool; by default those of issuer and login URL. */
    frame_origins: text().array().notNull().default([]),
    trusts_sourced_id: boolean().notNull().default(false),
    /** Set by platform administrators only, who know whether the LMS verifies addresses. */
    trusts_email: boolean().notNull().default(false),
    staff_by_institution_role: boolean().notNull().default(false),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.university_id, table.issuer, table.client_id),
    // The target of foreign keys that must stay within one university.
    unique().on(table.id, table.university_id),
  ],
);

/** A deployment of the tool in an LMS, such as an account. Launches are rejected until it is admitted. */
export const ltiDeployments = pgTable(
  "lti_deployments",
  {
    id: id(),
    platform_id: reference(() => ltiPlatforms.id, "cascade").notNull(),
    /** The platform's spelling. */
    deployment_id: varchar({ length: 255 }).notNull(),
    /** Null while pending. */
    admitted_at: instant(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    unique().on(table.platform_id, table.deployment_id),
    // The target of foreign keys that must stay within one platform.
    unique().on(table.id, table.platform_id),
  ],
);
