import { boolean, index, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { type IdentityProviderKind, identityProviderKinds } from "../enums.ts";
import { id, lowerEnum, oneOf, reference, timestamps } from "./columns.ts";
import { universities } from "./universities.ts";

/**
 * A provider of a university, beside the platform's in the settings: by OpenID Connect, or by SAML (saml-providers.ts).
 * It vouches for addresses of the domains that the platform granted to the university, and of those alone
 * (docs/decisions/0023).
 */
export const identityProviders = pgTable(
  "identity_providers",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    /** In addresses of sign-ins it stands behind the university: `7.staff`. */
    name: varchar({ length: 32 }).notNull(),
    label: varchar({ length: 255 }).notNull(),
    kind: lowerEnum<IdentityProviderKind>().notNull().default("oidc"),
    /** Of SAML its entity ID. */
    issuer: varchar({ length: 512 }).notNull(),
    /** As which this service is known there; of SAML the service's own entity ID. */
    client_id: varchar({ length: 255 }).notNull(),
    /** The client's secret, or of SAML its private key, encrypted for this university alone (lib/secrets/encryption.ts). */
    secret_ciphertext: text().notNull(),
    /** Whether it vouches for addresses of the university's domains: not after its administrators gave it another issuer. */
    vouches: boolean().notNull().default(true),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.university_id, table.name),
    // For whom a discovery service leads back.
    index().on(table.issuer),
    oneOf(table.kind, identityProviderKinds),
  ],
);
