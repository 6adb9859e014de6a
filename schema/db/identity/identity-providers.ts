import { boolean, index, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { type IdentityProviderKind, identityProviderKinds } from "../../enums.ts";
import { id, lowerEnum, oneOf, reference, timestamps } from "../platform/columns.ts";
import { universities } from "./universities.ts";

/**
 * An identity provider of a university, by OpenID Connect or SAML (saml-providers.ts); those of the platform
 * are in the settings. It vouches only for addresses of domains that the platform granted to the university
 * (docs/decisions/0023).
 */
export const identityProviders = pgTable(
  "identity_providers",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    /** In sign-in URLs it follows the university: `7.staff`. */
    name: varchar({ length: 32 }).notNull(),
    label: varchar({ length: 255 }).notNull(),
    kind: lowerEnum<IdentityProviderKind>().notNull().default("oidc"),
    /** For SAML the entity ID. */
    issuer: varchar({ length: 512 }).notNull(),
    /** This service's client id; for SAML its own entity ID. */
    client_id: varchar({ length: 255 }).notNull(),
    /**
     * The client secret, or for SAML the private key, encrypted for this university
     * (lib/platform/secrets/encryption.ts).
     */
    secret_ciphertext: text().notNull(),
    /** Whether it vouches for the university's domains; cleared when its administrators change the issuer. */
    vouches: boolean().notNull().default(true),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.university_id, table.name),
    // For redirects from a discovery service.
    index().on(table.issuer),
    oneOf(table.kind, identityProviderKinds),
  ],
);
