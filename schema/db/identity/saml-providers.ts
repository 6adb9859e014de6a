import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { type SamlSignedPart, samlSignedParts } from "../../enums.ts";
import { id, instant, jsonObject, lowerEnum, oneOf, reference } from "../platform/columns.ts";
import { identityProviders } from "./identity-providers.ts";

/** A SAML identity provider's metadata, and what it sent last. */
export const samlProviders = pgTable(
  "saml_providers",
  {
    identity_provider_id: reference(() => identityProviders.id, "cascade").primaryKey(),
    /** URL of its metadata; null if it was uploaded as text. */
    metadata_url: varchar({ length: 1000 }),
    /** PEM certificate that must have signed the metadata. */
    metadata_certificate: text(),
    sso_url: varchar({ length: 1000 }).notNull(),
    /** Its signing certificates as DER in base64. */
    certificates: text().array().notNull(),
    /** Allowed scopes after the @ of scoped attributes; by default the university's domains. */
    scopes: text().array().notNull().default([]),
    /** When its metadata expires; sign-ins fail after that. */
    valid_until: instant(),
    signed: lowerEnum<SamlSignedPart>().notNull().default("both"),
    /** Roles in the university by affiliation: `{"faculty": "instructor"}`. */
    affiliation_roles: jsonObject<Record<string, string>>().notNull().default({}),
    /** This service's certificate, as DER in base64; its key is the provider's `secret_ciphertext`. */
    certificate: text().notNull(),
    /** A second certificate during rotation, with its key encrypted the same way; null for none. */
    second_certificate: text(),
    second_secret_ciphertext: text(),
    metadata_read_at: instant().notNull(),
    /** When its URL was last fetched, successfully or not. */
    metadata_tried_at: instant().notNull(),
    /** Why the last fetch failed. */
    metadata_problem: varchar({ length: 500 }),
    /** The last assertion's attributes: names, number of values, and scopes. */
    seen_attributes: jsonObject(),
    seen_at: instant(),
  },
  (table) => [
    index().on(table.metadata_tried_at),
    oneOf(table.signed, samlSignedParts),
    check(
      "saml_providers_second_certificate_check",
      sql`(second_certificate is null) = (second_secret_ciphertext is null)`,
    ),
  ],
);

/** Failed SAML sign-ins by provider and reason: last time and number, counted at most every ten seconds. */
export const samlRefusals = pgTable(
  "saml_refusals",
  {
    id: id(),
    identity_provider_id: reference(() => identityProviders.id, "cascade").notNull(),
    reason: varchar({ length: 32 }).notNull(),
    detail: varchar({ length: 500 }),
    times: integer().notNull(),
    last_at: instant().notNull(),
  },
  (table) => [unique().on(table.identity_provider_id, table.reason)],
);
