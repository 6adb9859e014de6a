import { pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { id, reference, timestamps } from "./columns.ts";
import { universities } from "./universities.ts";

/**
 * An OpenID Connect provider of a university, beside the platform's in the settings. It vouches for addresses of the
 * domains that the platform grants it, and of those alone (docs/decisions/0021).
 */
export const identityProviders = pgTable(
  "identity_providers",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    /** In addresses of sign-ins it stands behind the university: `7.campus`. */
    name: varchar({ length: 32 }).notNull(),
    label: varchar({ length: 255 }).notNull(),
    issuer: varchar({ length: 512 }).notNull(),
    client_id: varchar({ length: 255 }).notNull(),
    /** The client's secret, encrypted for this university alone (lib/encryption.ts). */
    secret_ciphertext: text().notNull(),
    /** The domains of addresses that it may vouch for, in lowercase. */
    email_domains: text().array().notNull().default([]),
    ...timestamps(),
  },
  (table) => [unique().on(table.university_id, table.name)],
);
