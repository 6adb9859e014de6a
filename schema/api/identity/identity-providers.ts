import * as z from "zod";
import {
  affiliationRoles,
  type IdentityProviderKind,
  identityProviderKinds,
  samlKeySteps,
  samlSignedParts,
} from "../../enums.ts";
import { Id, Instant, list, lowerEnum, text, title, upperEnum, webAddress } from "../platform/fields.ts";
import { Domain } from "./university-domains.ts";

const Name = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, "Input should be lowercase letters, digits and hyphens, 32 at most")
  .meta({ description: "Last part of `login_name`", example: "campus" });
const Label = title(255).meta({ description: "Text of the sign-in button", example: "Campus account" });
const Issuer = webAddress(512)
  .refine(
    (address) => URL.canParse(address) && !new URL(address).username,
    "Input should be an issuer's address",
  )
  .meta({ description: "Issuer address, https outside development", example: "https://id.example.edu" });
const ClientSecret = title(1000).meta({
  description: "Stored encrypted and never returned",
  format: "password",
  example: "a secret of the provider",
});

const Kind = lowerEnum(identityProviderKinds).meta({
  description: "Protocol: OpenID Connect (default) or SAML 2.0. Cannot change later",
  example: "oidc",
});
/** An issuer of either kind: a URL or an entity ID. */
const AnyIssuer = text(512)
  .regex(/^[\x21-\x7e]+$/, "Input should be an address, or an entity ID without spaces")
  .meta({
    description:
      "Issuer address, https outside development. For SAML, the entity ID, required if the metadata has " +
      "several",
    example: "https://id.example.edu",
  });
const AnyClientId = title(255).meta({
  description:
    "Client id of this service at the provider. For SAML, the service's entity ID; default: the " +
    "address of its metadata",
  example: "learning",
});
const MetadataUrl = webAddress(1000)
  .refine(
    (address) => URL.canParse(address) && !new URL(address).username && !address.includes("#"),
    "Input should be an address without a name, password or fragment",
  )
  .meta({
    description:
      "Address of the provider's SAML metadata on the public internet, https outside development. " +
      "Reloaded on a schedule",
    example: "https://idp.example.edu/idp/shibboleth",
  });
const Metadata = text(500_000).meta({
  description: "The provider's SAML metadata, instead of its address. Send it again when it changes",
  example: "<EntityDescriptor …>",
});
const MetadataCertificate = text(10_000).meta({
  description: "Certificate of a federation in PEM, which must sign the metadata",
  example: "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----",
});
const Signed = lowerEnum(samlSignedParts).meta({
  description: "Parts that the provider must sign: the response, the assertion, or both",
  example: "both",
});
const AffiliationRoles = z
  .partialRecord(
    z.string().regex(/^[a-z-]{1,64}$/, "Input should be an affiliation in lowercase, such as faculty"),
    upperEnum(affiliationRoles),
  )
  .refine((table) => Object.keys(table).length <= 20, "There should be at most 20 affiliations")
  .meta({
    description:
      "Role by affiliation of the person (eduPersonAffiliation, eduPersonScopedAffiliation), at most " +
      "instructor. A sign-in grants the highest matching role and revokes none",
    example: { faculty: "INSTRUCTOR" },
  });

const samlFields = {
  metadata_url: MetadataUrl,
  metadata: Metadata,
  metadata_certificate: MetadataCertificate,
  signed: Signed,
  affiliation_roles: AffiliationRoles,
};

const fields = {
  label: Label,
  issuer: AnyIssuer,
  client_id: AnyClientId,
  client_secret: ClientSecret,
  ...samlFields,
};

type Given = Partial<Record<keyof typeof fields, unknown>>;

/** Rejects fields of the other kind of provider. */
function refuseFieldsOfTheOther(given: Given, kind: IdentityProviderKind, context: z.RefinementCtx): void {
  const others = kind === "saml" ? ["client_secret"] : Object.keys(samlFields);
  for (const name of others)
    if (given[name as keyof Given] !== undefined)
      context.addIssue({ code: "custom", path: [name], message: `Is no field of a provider by ${kind}` });
}

function requireFields(given: Given, names: readonly (keyof Given)[], context: z.RefinementCtx): void {
  for (const name of names)
    if (given[name] === undefined)
      context.addIssue({ code: "invalid_type", expected: "string", input: undefined, path: [name] });
}

function ensureIssuer(issuer: string | undefined, context: z.RefinementCtx): void {
  const { error } = Issuer.optional().safeParse(issuer);
  for (const { message } of error?.issues ?? [])
    context.addIssue({ code: "custom", path: ["issuer"], message });
}

export const UniversityProviderCreate = z
  .object({ kind: Kind.optional(), name: Name, ...fields })
  .partial({
    issuer: true,
    client_id: true,
    client_secret: true,
    metadata_url: true,
    metadata: true,
    metadata_certificate: true,
    signed: true,
    affiliation_roles: true,
  })
  .superRefine((given, context) => {
    const { kind = "oidc" } = given;
    refuseFieldsOfTheOther(given, kind, context);
    if (kind === "oidc") {
      requireFields(given, ["issuer", "client_id", "client_secret"], context);
      ensureIssuer(given.issuer, context);
    } else if ((given.metadata_url === undefined) === (given.metadata === undefined))
      context.addIssue({
        code: "custom",
        path: ["metadata_url"],
        message: "Either metadata_url or metadata should be given",
      });
  })
  .meta({
    id: "UniversityProviderCreate",
    example: {
      name: "campus",
      label: "Campus account",
      issuer: "https://id.example.edu",
      client_id: "learning",
      client_secret: "a secret of the provider",
    },
  });

export const OwnKeyStep = z
  .object({
    step: upperEnum(samlKeySteps).meta({
      example: "ADD",
      description:
        "ADD creates a second key and adds it to the metadata. SWITCH signs with the second key, which " +
        "becomes the first. REMOVE deletes the key that does not sign",
    }),
  })
  .meta({ id: "OwnKeyStep" });

export const UniversityProviderUpdate = z
  .object({ ...fields, metadata_certificate: MetadataCertificate.nullable() })
  .partial()
  .superRefine((given, context) => {
    if (given.metadata_url !== undefined && given.metadata !== undefined)
      context.addIssue({
        code: "custom",
        path: ["metadata"],
        message: "Either metadata_url or metadata should be given",
      });
  })
  .meta({ id: "UniversityProviderUpdate", example: { label: "Campus account" } });

export const EmailDomains = z
  .object({
    email_domains: list(Domain, { max: 50 }).meta({
      description:
        "All domains of the university for which its providers can vouch. Subdomains are separate domains",
    }),
  })
  .meta({ id: "EmailDomains", example: { email_domains: ["example.edu"] } });

const SeenAttribute = z.object({
  name: z.string(),
  friendly_name: z.string().nullable().meta({ description: "Friendly name" }),
  values: z.int().meta({ description: "Number of values" }),
  scopes: z.array(z.string()).meta({ description: "Scopes after the @ of the values" }),
});

const SamlRefused = z.object({
  reason: z.string(),
  detail: z.string().nullable().meta({ description: "The value found instead, if verified" }),
  for_operators: z.string().meta({ description: "Advice for the provider's operator" }),
  times: z.int().meta({ description: "Number of occurrences, counted at most every ten seconds" }),
  last_at: Instant.meta({ description: "When it last occurred" }),
});

const SamlFacts = z.object({
  metadata_url: z.string().nullable().meta({
    description: "Address from which the metadata is reloaded; null if the metadata was sent as text",
  }),
  metadata_certificate: z
    .string()
    .nullable()
    .meta({ description: "Certificate that must sign the metadata, in PEM" }),
  sso_url: z.string().meta({ description: "Sign-in address for browsers" }),
  certificates: z
    .array(
      z.object({
        fingerprint: z.string().meta({ description: "SHA-256 of the certificate" }),
        expires_at: Instant.meta({ description: "When the certificate expires" }),
      }),
    )
    .meta({ description: "The provider's signing certificates" }),
  own_certificate_expires_at: Instant.meta({
    description: "Expiry of the certificate of this service's key",
  }),
  own_certificates: z
    .array(
      z.object({
        fingerprint: z.string().meta({ description: "SHA-256 of the certificate" }),
        expires_at: Instant.meta({ description: "When the certificate expires" }),
        is_used: z.boolean().meta({ description: "Whether this service signs with this key" }),
      }),
    )
    .meta({ description: "Certificates of this service's keys: two during a key rotation" }),
  scopes: z.array(z.string()).meta({
    description: "Allowed scopes after the @ of scoped attributes; if empty, the university's domains",
  }),
  valid_until: Instant.nullable().meta({
    description: "Sign-ins fail after this time, until the metadata is reloaded",
  }),
  signed: Signed,
  affiliation_roles: AffiliationRoles,
  metadata_read_at: Instant.meta({ description: "When the metadata was read" }),
  metadata_problem: z.string().nullable().meta({
    description: "Why the last reload failed; the earlier metadata stays in use",
  }),
  seen_at: Instant.nullable().meta({ description: "When the last assertion with attributes arrived" }),
  seen_attributes: z
    .object({
      name_id_format: z.string().nullable().meta({ description: "Format of the NameID; null without one" }),
      attributes: z.array(SeenAttribute).meta({ description: "Attributes by name" }),
    })
    .nullable()
    .meta({
      description: "Names, value counts and scopes of the last assertion's attributes, never their values",
    }),
  refusals: z.array(SamlRefused).meta({ description: "Reasons of failed sign-ins, newest first" }),
});

export const UniversityProvider = z
  .object({
    id: Id,
    university_id: Id,
    kind: Kind,
    name: Name,
    login_name: z.string().meta({
      description:
        "Name in `/auth/oidc/{provider}/login` and in the redirect URI. For SAML, in " +
        "`/auth/saml/{provider}/login`, `…/metadata` and `…/acs`",
      example: "1.campus",
    }),
    label: Label,
    issuer: AnyIssuer,
    client_id: AnyClientId,
    email_domains: z.array(z.string()).meta({
      description:
        "Domains for which the provider can vouch. Without one, its sign-ins fail. After a change of the " +
        "issuer, the platform must grant them again",
      example: ["example.edu"],
    }),
    saml: SamlFacts.nullable().meta({ description: "SAML details; null for OpenID Connect" }),
    created_at: Instant.meta({ description: "When the provider was added" }),
    updated_at: Instant.meta({ description: "When the provider was last updated" }),
  })
  .meta({ id: "UniversityProvider" });

export type UniversityProviderCreate = z.output<typeof UniversityProviderCreate>;
export type OwnKeyStep = z.output<typeof OwnKeyStep>;
export type UniversityProviderUpdate = z.output<typeof UniversityProviderUpdate>;
export type UniversityProvider = z.input<typeof UniversityProvider>;
