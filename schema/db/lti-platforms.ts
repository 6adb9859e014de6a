import { boolean, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { id, instant, now, reference, timestamps } from "./columns.ts";
import { universities } from "./universities.ts";

/**
 * An LMS of a university that launches this service as a tool by LTI 1.3. It knows the tool by `client_id`; one issuer
 * may stand for many, as that of a hosted LMS does.
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
    /** Whose pages may frame the tool's; those of its issuer and its login address where none is named. */
    frame_origins: text().array().notNull().default([]),
    trusts_sourced_id: boolean().notNull().default(false),
    /** Said by the platform's administrators alone: they know whose addresses the LMS has verified. */
    trusts_email: boolean().notNull().default(false),
    staff_by_institution_role: boolean().notNull().default(false),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.university_id, table.issuer, table.client_id),
    // The target of references that must stay within one university.
    unique().on(table.id, table.university_id),
  ],
);

/** A place where an LMS has put the tool, such as an account of it. Launches from one that nobody has admitted give nothing. */
export const ltiDeployments = pgTable(
  "lti_deployments",
  {
    id: id(),
    platform_id: reference(() => ltiPlatforms.id, "cascade").notNull(),
    /** As the platform spells it. */
    deployment_id: varchar({ length: 255 }).notNull(),
    /** Null while it waits. */
    admitted_at: instant(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    unique().on(table.platform_id, table.deployment_id),
    // The target of references that must stay within one platform.
    unique().on(table.id, table.platform_id),
  ],
);
