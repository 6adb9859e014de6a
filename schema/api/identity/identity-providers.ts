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
  .meta({ description: "Stands behind the university in the address of a sign-in", example: "campus" });
const Label = title(255).meta({ description: "What the button of a page says", example: "Campus account" });
const Issuer = webAddress(512)
  .refine(
    (address) => URL.canParse(address) && !new URL(address).username,
    "Input should be an issuer's address",
  )
  .meta({ description: "Its address, https outside development", example: "https://id.example.edu" });
const ClientSecret = title(1000).meta({
  description: "Kept encrypted, and never answered",
  format: "password",
  example: "a secret of the provider",
});

const Kind = lowerEnum(identityProviderKinds).meta({
  description:
    "How it signs people in: OpenID Connect, or SAML 2.0. It stays as it is; OpenID Connect where it is not said",
  example: "oidc",
});
/** An issuer of either kind: a URL or an entity ID. */
const AnyIssuer = text(512)
  .regex(/^[\x21-\x7e]+$/, "Input should be an address, or an entity ID without spaces")
  .meta({
    description:
      "Its address, https outside development; of SAML its entity ID, which is needed where its metadata has several",
    example: "https://id.example.edu",
  });
const AnyClientId = title(255).meta({
  description:
    "As which this service is known there; of SAML its own entity ID, which is the address of its metadata unless it is given",
  example: "learning",
});
const MetadataUrl = webAddress(1000)
  .refine(
    (address) => URL.canParse(address) && !new URL(address).username && !address.includes("#"),
    "Input should be an address without a name, password or fragment",
  )
  .meta({
    description:
      "Where the provider's SAML metadata is, https outside development; asked over the public internet alone, and again by the schedule",
    example: "https://idp.example.edu/idp/shibboleth",
  });
const Metadata = text(500_000).meta({
  description: "The provider's SAML metadata itself, in place of its address; given anew when it changes",
  example: "<EntityDescriptor …>",
});
const MetadataCertificate = text(10_000).meta({
  description: "The certificate of a federation, with which the metadata has to be signed, as PEM",
  example: "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----",
});
const Signed = lowerEnum(samlSignedParts).meta({
  description: "What the provider has to sign: the response, the assertion within it, or both",
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
      "Which role in the university a sign-in gives whom the provider tells such an affiliation of (eduPersonAffiliation, " +
      "eduPersonScopedAffiliation), at most instructor: the highest of them. A sign-in takes none away",
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
        "ADD: a second key, which is in the metadata from then on; SWITCH: sign with the second one, which then is the first; " +
        "REMOVE: the one that is not signed with",
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
        "The domains of the university, all of them, for whose addresses its providers vouch; subdomains are domains of their own",
    }),
  })
  .meta({ id: "EmailDomains", example: { email_domains: ["example.edu"] } });

const SeenAttribute = z.object({
  name: z.string(),
  friendly_name: z.string().nullable().meta({ description: "What it is called besides" }),
  values: z.int().meta({ description: "How many values it has" }),
  scopes: z.array(z.string()).meta({ description: "What stands behind the @ of its values" }),
});

const SamlRefused = z.object({
  reason: z.string(),
  detail: z
    .string()
    .nullable()
    .meta({ description: "What was found instead, where something verified says so" }),
  for_operators: z.string().meta({ description: "What the provider's operator is to do" }),
  times: z.int().meta({ description: "Counted every ten seconds at most" }),
  last_at: Instant.meta({ description: "When it was so last" }),
});

const SamlFacts = z.object({
  metadata_url: z
    .string()
    .nullable()
    .meta({ description: "Where its metadata is read anew; null where it was given as a text" }),
  metadata_certificate: z
    .string()
    .nullable()
    .meta({ description: "The certificate that its metadata has to be signed with, as PEM" }),
  sso_url: z.string().meta({ description: "Where a browser is sent to sign in" }),
  certificates: z
    .array(
      z.object({
        fingerprint: z.string().meta({ description: "The SHA-256 of the certificate" }),
        expires_at: Instant.meta({ description: "When the certificate ends" }),
      }),
    )
    .meta({ description: "What it may sign with" }),
  own_certificate_expires_at: Instant.meta({ description: "Of this service's key towards it" }),
  own_certificates: z
    .array(
      z.object({
        fingerprint: z.string().meta({ description: "The SHA-256 of the certificate" }),
        expires_at: Instant.meta({ description: "When the certificate ends" }),
        is_used: z.boolean().meta({ description: "Whether this service signs with its key" }),
      }),
    )
    .meta({ description: "Of this service's keys towards it: two while the provider learns another one" }),
  scopes: z.array(z.string()).meta({
    description: "Behind the @ of its scoped attributes; without any, the university's domains",
  }),
  valid_until: Instant.nullable().meta({
    description: "Nobody signs in later, until its metadata is read anew",
  }),
  signed: Signed,
  affiliation_roles: AffiliationRoles,
  metadata_read_at: Instant.meta({ description: "When its metadata was read" }),
  metadata_problem: z.string().nullable().meta({
    description: "Why its metadata could not be read the last time; what was read before holds on",
  }),
  seen_at: Instant.nullable().meta({ description: "When an assertion told its attributes last" }),
  seen_attributes: z
    .object({
      name_id_format: z
        .string()
        .nullable()
        .meta({ description: "The format of its NameID; null without one" }),
      attributes: z.array(SeenAttribute).meta({ description: "By name" }),
    })
    .nullable()
    .meta({ description: "What the last assertion had: names, how many values, and scopes, never a value" }),
  refusals: z.array(SamlRefused).meta({ description: "Why sign-ins came to nothing, the newest first" }),
});

export const UniversityProvider = z
  .object({
    id: Id,
    university_id: Id,
    kind: Kind,
    name: Name,
    login_name: z.string().meta({
      description:
        "Its name at `/auth/oidc/{provider}/login`, and in the redirect URI to register there; of SAML at " +
        "`/auth/saml/{provider}/login`, `…/metadata` and `…/acs`",
      example: "1.campus",
    }),
    label: Label,
    issuer: AnyIssuer,
    client_id: AnyClientId,
    email_domains: z.array(z.string()).meta({
      description:
        "The university's domains, for whose addresses it vouches. Until the platform has granted one it signs nobody in, " +
        "and with another issuer none until the platform grants them anew",
      example: ["example.edu"],
    }),
    saml: SamlFacts.nullable().meta({ description: "Of SAML: what is known of it" }),
    created_at: Instant.meta({ description: "When it was added" }),
    updated_at: Instant.meta({ description: "When it was changed last" }),
  })
  .meta({ id: "UniversityProvider" });

export type UniversityProviderCreate = z.output<typeof UniversityProviderCreate>;
export type OwnKeyStep = z.output<typeof OwnKeyStep>;
export type UniversityProviderUpdate = z.output<typeof UniversityProviderUpdate>;
export type UniversityProvider = z.input<typeof UniversityProvider>;
