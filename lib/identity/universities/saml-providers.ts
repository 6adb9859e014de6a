import { X509Certificate } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { UniversityProvider } from "../../../schema/api/identity/identity-providers.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { type AffiliationRole, type SamlSignedPart, samlSignedParts } from "../../../schema/enums.ts";
import type { ProviderMetadata } from "../saml/metadata.ts";
import { samlRefusalOperatorAdvice } from "../saml/refusals.ts";

const Refusal = z.object({
  reason: z.string(),
  detail: z.string().nullable(),
  times: z.int(),
  last_at: z.string(),
});

const SeenAttributes = z.object({
  name_id_format: z.string().nullable(),
  attributes: z.array(
    z.object({
      name: z.string(),
      friendly_name: z.string().nullable(),
      values: z.int(),
      scopes: z.array(z.string()),
    }),
  ),
});

export const SamlRow = z.object({
  metadata_url: z.string().nullable(),
  metadata_certificate: z.string().nullable(),
  sso_url: z.string(),
  certificates: z.array(z.string()),
  certificate: z.string(),
  second_certificate: z.string().nullable(),
  scopes: z.array(z.string()),
  valid_until: z.string().nullable(),
  signed: z.enum(samlSignedParts),
  affiliation_roles: z.record(z.string(), z.string()),
  metadata_read_at: z.string(),
  metadata_problem: z.string().nullable(),
  seen_at: z.string().nullable(),
  seen_attributes: SeenAttributes.nullable(),
  refusals: z.array(Refusal),
});

/** For a row `one`, from the table or the statement's own write. */
export const samlSettingsJsonSql = (from: SQL = sql`saml_providers`): SQL => sql`(
  select json_build_object(
    'metadata_url', saml.metadata_url, 'metadata_certificate', saml.metadata_certificate, 'sso_url', saml.sso_url,
    'certificates', saml.certificates, 'certificate', saml.certificate,
    'second_certificate', saml.second_certificate, 'scopes', saml.scopes,
    'valid_until', ${momentForm(sql`saml.valid_until`)}, 'signed', saml.signed,
    'affiliation_roles', saml.affiliation_roles, 'metadata_read_at', ${momentForm(sql`saml.metadata_read_at`)},
    'metadata_problem', saml.metadata_problem, 'seen_at', ${momentForm(sql`saml.seen_at`)},
    'seen_attributes', saml.seen_attributes,
    'refusals', coalesce((
      select json_agg(json_build_object('reason', refused.reason, 'detail', refused.detail, 'times', refused.times,
                                        'last_at', ${momentForm(sql`refused.last_at`)}) order by refused.last_at desc)
      from saml_refusals as refused where refused.identity_provider_id = one.id), '[]'))
  from ${from} as saml where saml.identity_provider_id = one.id)`;

export function toSamlSettings({
  certificates,
  certificate,
  second_certificate,
  refusals,
  affiliation_roles,
  ...known
}: z.output<typeof SamlRow>): NonNullable<UniversityProvider["saml"]> {
  const roles = Object.entries(affiliation_roles).map(([name, role]) => [name, role.toUpperCase()]);
  return {
    ...known,
    affiliation_roles: Object.fromEntries(roles) as Record<string, Uppercase<AffiliationRole>>,
    certificates: certificates.map(factsOf),
    own_certificate_expires_at: factsOf(certificate).expires_at,
    own_certificates: [
      { ...factsOf(certificate), is_used: true },
      ...(second_certificate ? [{ ...factsOf(second_certificate), is_used: false }] : []),
    ],
    refusals: refusals.map((one) => ({ ...one, for_operators: samlRefusalOperatorAdvice(one.reason) })),
  };
}

function factsOf(certificate: string): { fingerprint: string; expires_at: string } {
  const read = new X509Certificate(Buffer.from(certificate, "base64"));
  return { fingerprint: read.fingerprint256, expires_at: new Date(read.validTo).toISOString() };
}

/** Settings other than the metadata. Roles are in uppercase. */
export type SamlProviderSettingsInput = {
  metadata_url?: string | undefined;
  metadata_certificate?: string | null | undefined;
  signed?: SamlSignedPart | undefined;
  affiliation_roles?: Partial<Record<string, string>> | undefined;
};

const rolesJson = (roles: SamlProviderSettingsInput["affiliation_roles"]): string | null =>
  roles ? JSON.stringify(roles).toLowerCase() : null;

/** CTE `saml`: inserts the SAML row of the provider in `written`. */
export const insertSamlProviderCte = (
  described: ProviderMetadata,
  { metadata_url, metadata_certificate, signed, affiliation_roles }: SamlProviderSettingsInput,
  { certificate, now }: { certificate: string; now: Date },
): SQL => sql`, saml as (
  insert into saml_providers (identity_provider_id, metadata_url, metadata_certificate, sso_url, certificates, scopes,
                              valid_until, signed, affiliation_roles, certificate, metadata_read_at, metadata_tried_at)
  select written.id, ${metadata_url ?? null}, ${metadata_certificate ?? null}, ${described.sso_url},
         ${sql.param(described.certificates)}::text[], ${sql.param(described.scopes)}::text[],
         ${described.valid_until}::timestamptz, ${signed ?? "both"},
         ${rolesJson(affiliation_roles) ?? "{}"}::jsonb, ${certificate}, ${now.toISOString()}, ${now.toISOString()}
  from written returning *)`;

/** CTE `saml`: updates the SAML row of the provider in `written`. Absent fields are unchanged. */
export const updateSamlProviderCte = (
  described: ProviderMetadata | undefined,
  { metadata_url, metadata_certificate, signed, affiliation_roles }: SamlProviderSettingsInput,
  now: Date,
): SQL => sql`, saml as (
  update saml_providers as kept set
    signed = coalesce(${signed ?? null}, kept.signed),
    affiliation_roles = coalesce(${rolesJson(affiliation_roles)}::jsonb, kept.affiliation_roles)
    ${
      described
        ? sql`, metadata_url = ${metadata_url ?? null}, metadata_certificate = ${metadata_certificate ?? null},
                sso_url = ${described.sso_url}, certificates = ${sql.param(described.certificates)}::text[],
                scopes = ${sql.param(described.scopes)}::text[], valid_until = ${described.valid_until}::timestamptz,
                metadata_read_at = ${now.toISOString()}, metadata_tried_at = ${now.toISOString()}, metadata_problem = null`
        : sql``
    }
  from written where kept.identity_provider_id = written.id returning kept.*)`;

/** Row `one` becomes another provider: another entity or URL, or no key in common. */
export const samlProviderIdentityChangedCondition = (
  described: ProviderMetadata | undefined,
  { metadata_url }: SamlProviderSettingsInput,
): SQL =>
  described
    ? sql`(one.issuer <> ${described.issuer} or exists (
        select from saml_providers as known where known.identity_provider_id = one.id
          and (known.metadata_url is distinct from ${metadata_url ?? null}
               or not known.certificates && ${sql.param(described.certificates)}::text[])))`
    : sql`false`;
