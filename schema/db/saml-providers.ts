import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { type SamlSignedPart, samlSignedParts } from "../enums.ts";
import { id, instant, jsonObject, lowerEnum, oneOf, reference } from "./columns.ts";
import { identityProviders } from "./identity-providers.ts";

/** What is known of an identity provider that signs people in by SAML: what its metadata said, and what it sent last. */
export const samlProviders = pgTable(
  "saml_providers",
  {
    identity_provider_id: reference(() => identityProviders.id, "cascade").primaryKey(),
    /** Where its metadata is read anew; null where someone gave it as a text. */
    metadata_url: varchar({ length: 1000 }),
    /** The certificate that metadata is to be signed with, as PEM. */
    metadata_certificate: text(),
    /** Where a browser is sent to sign in. */
    sso_url: varchar({ length: 1000 }).notNull(),
    /** What it may sign with: certificates as DER in base64. */
    certificates: text().array().notNull(),
    /** Behind the @ of scoped attributes; without any, the university's domains are its scopes. */
    scopes: text().array().notNull().default([]),
    /** Until when its metadata holds; nobody signs in by it later. */
    valid_until: instant(),
    signed: lowerEnum<SamlSignedPart>().notNull().default("both"),
    /** Which role in the university is given to whom it says has an affiliation: `{"faculty": "instructor"}`. */
    affiliation_roles: jsonObject<Record<string, string>>().notNull().default({}),
    /** This service's own, as DER in base64: its key is the provider's `secret_ciphertext`. */
    certificate: text().notNull(),
    /** Another one beside it, while the provider learns it or forgets it; its key is sealed as that is. Null: there is one alone. */
    second_certificate: text(),
    second_secret_ciphertext: text(),
    metadata_read_at: instant().notNull(),
    /** When its address was asked last, whatever came of it. */
    metadata_tried_at: instant().notNull(),
    /** Why its metadata could not be read the last time. */
    metadata_problem: varchar({ length: 500 }),
    /** What the last assertion told, by name: what each attribute is called, how many values it has, and their scopes. */
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

/** Sign-ins by SAML that came to nothing, by provider and reason: when last, and how often, counted every ten seconds at most. */
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
