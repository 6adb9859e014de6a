import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  UniversityProvider,
  type UniversityProviderCreate,
  type UniversityProviderUpdate,
} from "../../../schema/api/identity/identity-providers.ts";
import { identityProviders } from "../../../schema/db/identity/identity-providers.ts";
import { samlProviders } from "../../../schema/db/identity/saml-providers.ts";
import { type AuditAction, identityProviderKinds } from "../../../schema/enums.ts";
import type { Config } from "../../config.ts";
import { badRequest, invalidField, notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  decryptByCurrentOrPrevious,
  type EncryptionSecrets,
  encrypt,
} from "../../platform/secrets/encryption.ts";
import { insertAuditEventsQuery } from "../audit/record.ts";
import type { Actor } from "../auth/actor.ts";
import { providerLoginName, providerSecretEncryptionPurpose } from "../auth/university-providers.ts";
import { can } from "../rbac/policy.ts";
import { loadProviderMetadata } from "../saml/load-provider-metadata.ts";
import { generateServiceSamlKey } from "../saml/own-certificate.ts";
import { universityDomainsSql } from "./domains.ts";
import {
  insertSamlProviderCte,
  SamlRow,
  samlProviderIdentityChangedCondition,
  samlSettingsJsonSql,
  toSamlSettings,
  updateSamlProviderCte,
} from "./saml-providers.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "./universities.ts";

type Settings = Pick<Config, "SECRET_KEY" | "ENVIRONMENT">;

/** A provider's id is valid only within its university. */
export type ProviderPath = { university_id: number; identity_provider_id: number };

const one = alias(identityProviders, "one");

/** The provider is trusted for these. From a row `one`. */
const emailDomains = sql`case when one.vouches then ${universityDomainsSql(sql`one.university_id`)} else '{}' end`;

const columns = {
  id: one.id,
  university_id: one.university_id,
  name: one.name,
  kind: one.kind,
  label: one.label,
  issuer: one.issuer,
  client_id: one.client_id,
  email_domains: emailDomains,
  saml: samlSettingsJsonSql(),
  created_at: one.created_at,
  updated_at: one.updated_at,
};

const Row = UniversityProvider.omit({ login_name: true }).extend({ saml: SamlRow.nullable() });

const shown = ({ saml, ...row }: z.output<typeof Row>): UniversityProvider => ({
  ...row,
  saml: saml && toSamlSettings(saml),
  login_name: providerLoginName(row),
});

/** 404 without the university, 403 for non-administrators. */
export async function listProviders(
  db: ReadDb,
  actor: Actor,
  universityId: number,
): Promise<UniversityProvider[]> {
  await ensureAllowedInUniversity(db, actor, "identity-provider:manage", universityId);
  const rows = await rowsOf(
    db,
    Row,
    sql`select ${wireColumnsSql(columns)} from identity_providers as one
        where one.university_id = ${universityId} order by one.name`,
  );
  if (rows.length === 0) await getUniversity(db, universityId);
  return rows.map(shown);
}

export type ProviderDeps = { db: Db; config: Settings; now: () => Date };

/**
 * Trusted for the university's domains. 400 if the name is taken or the metadata unreadable, 422 for an
 * insecure URL. `api` is the API's public URL.
 */
export async function createProvider(
  parts: ProviderDeps,
  actor: Actor,
  universityId: number,
  input: UniversityProviderCreate,
  api: string,
): Promise<UniversityProvider> {
  await ensureAllowedInUniversity(parts.db, actor, "identity-provider:manage", universityId);
  const { secret, issuer, client_id, ...added } =
    input.kind === "saml"
      ? await samlAdded(parts, actor, universityId, input, api)
      : { ...oidcAdded(parts.config, input), saml: undefined };
  const { db, config } = parts;
  const ciphertext = encrypt(secret, config.SECRET_KEY, providerSecretEncryptionPurpose(universityId));
  const written = sql`
    insert into identity_providers (university_id, kind, name, label, issuer, client_id, secret_ciphertext)
    values (${universityId}, ${input.kind ?? "oidc"}, ${input.name}, ${input.label}, ${issuer}, ${client_id}, ${ciphertext})
    returning *`;
  const [provider] = await executeAuditedProviderChange(db, actor, "identity_provider.created", written, {
    ...(added.saml && { besides: added.saml, saml: samlSettingsJsonSql(sql`saml`) }),
  }).catch(rethrowMissingUniversityAsNotFound);
  if (!provider) throw notFound("University");
  return provider;
}

function oidcAdded(
  config: Settings,
  { issuer = "", client_id = "", client_secret = "" }: UniversityProviderCreate,
) {
  ensureSecure(config, issuer);
  return { secret: client_secret, issuer, client_id };
}

/** The default entity ID of this service is the URL of its metadata. */
async function samlAdded(
  parts: ProviderDeps,
  actor: Actor,
  university_id: number,
  { name, client_id, ...input }: UniversityProviderCreate,
  api: string,
) {
  const described = await loadProviderMetadata(parts, input, actor.id);
  const now = parts.now();
  const { private_key, certificate } = await generateServiceSamlKey(now);
  return {
    secret: private_key,
    issuer: described.issuer,
    client_id: client_id ?? `${api}/auth/saml/${providerLoginName({ university_id, name })}/metadata`,
    saml: insertSamlProviderCte(described, input, { certificate, now }),
  };
}

/**
 * Absent fields are unchanged. A new issuer is a new provider: links are deleted, and domains need a new
 * grant unless a platform_admin makes the change. It would receive the secret, so a missing secret is a 422.
 */
export async function updateProvider(
  parts: ProviderDeps,
  actor: Actor,
  path: ProviderPath,
  input: UniversityProviderUpdate,
): Promise<UniversityProvider> {
  await ensureAllowedInUniversity(parts.db, actor, "identity-provider:manage", path.university_id);
  return isOfSaml(input) ? updateSaml(parts, actor, path, input) : updateOidc(parts, actor, path, input);
}

const samlFields = [
  "metadata_url",
  "metadata",
  "metadata_certificate",
  "signed",
  "affiliation_roles",
] as const;

const isOfSaml = (input: UniversityProviderUpdate): boolean =>
  samlFields.some((name) => input[name] !== undefined);

async function updateOidc(
  { db, config }: ProviderDeps,
  actor: Actor,
  path: ProviderPath,
  { client_secret, issuer, ...input }: UniversityProviderUpdate,
): Promise<UniversityProvider> {
  if (issuer !== undefined) ensureSecure(config, issuer);
  const ciphertext =
    client_secret &&
    encrypt(client_secret, config.SECRET_KEY, providerSecretEncryptionPurpose(path.university_id));
  const isMoved = sql`one.issuer <> coalesce(${issuer ?? null}, one.issuer)`;
  const isFitting = sql`(one.kind = 'oidc' or ${client_secret === undefined && issuer === undefined}::boolean)
    and (${ciphertext !== undefined}::boolean or not ${isMoved})`;
  const set = sql`issuer = coalesce(${issuer ?? null}, one.issuer),
    secret_ciphertext = coalesce(${ciphertext ?? null}, one.secret_ciphertext)`;
  const written = changed(actor, path, input, { set, isFitting, isMoved });
  const [provider] = await executeAuditedProviderChange(db, actor, "identity_provider.changed", written, {
    besides: unlinked(sql`written.is_moved`),
  });
  return provider ?? explainMoveRefusal(db, path, { client_secret, issuer });
}

const KnownSaml = z.object({
  kind: z.enum(identityProviderKinds),
  issuer: z.string(),
  metadata_url: z.string().nullable(),
  metadata_certificate: z.string().nullable(),
});

/** New metadata is read before anything is changed. */
async function updateSaml(
  parts: ProviderDeps,
  actor: Actor,
  path: ProviderPath,
  input: UniversityProviderUpdate,
): Promise<UniversityProvider> {
  const isRead = ["metadata_url", "metadata", "metadata_certificate", "issuer"].some((name) => name in input);
  const known = isRead ? await getSamlMetadataSource(parts.db, path) : undefined;
  const source = {
    metadata_url: input.metadata === undefined ? (input.metadata_url ?? known?.metadata_url) : undefined,
    metadata_certificate:
      input.metadata_certificate === undefined ? known?.metadata_certificate : input.metadata_certificate,
    metadata: input.metadata,
  };
  if (isRead && !source.metadata && !source.metadata_url)
    throw invalidField(["metadata"], "Field required, because the metadata was given as text", "missing");
  // The current issuer selects from several. A single different one means a new provider.
  const described = isRead
    ? await loadProviderMetadata(
        parts,
        { ...source, issuer: input.issuer ?? onlyOfSeveral(source, known) },
        actor.id,
      )
    : undefined;
  const choices = { ...input, ...source, metadata_url: source.metadata_url ?? undefined };
  const set = described ? sql`issuer = ${described.issuer}` : sql`issuer = one.issuer`;
  const isFitting = sql`one.kind = 'saml'`;
  const isMoved = samlProviderIdentityChangedCondition(described, choices);
  const written = changed(actor, path, input, { set, isFitting, isMoved });
  const [provider] = await executeAuditedProviderChange(
    parts.db,
    actor,
    "identity_provider.changed",
    written,
    {
      besides: sql`${updateSamlProviderCte(described, choices, parts.now())}${unlinked(sql`written.is_moved`)}`,
      saml: samlSettingsJsonSql(sql`saml`),
    },
  );
  return provider ?? explainKind(parts.db, path, input);
}

/** Metadata from the same URL keeps its issuer. New metadata may change it. */
const onlyOfSeveral = (
  { metadata, metadata_url }: { metadata: string | undefined; metadata_url: string | null | undefined },
  known: z.output<typeof KnownSaml> | undefined,
): string | undefined =>
  metadata === undefined && metadata_url === known?.metadata_url ? known?.issuer : undefined;

export async function getSamlMetadataSource(db: Db, path: ProviderPath): Promise<z.output<typeof KnownSaml>> {
  const [known] = await rowsOf(
    db,
    KnownSaml,
    sql`select one.kind, one.issuer, saml.metadata_url, saml.metadata_certificate
        from identity_providers as one left join saml_providers as saml on saml.identity_provider_id = one.id
        where ${identityProviderPathCondition(path)}`,
  );
  return known ?? missing(db, path);
}

type Change = { set: SQL; isFitting: SQL; isMoved: SQL };

/** A changed issuer deletes links and, unless the platform makes the change, its trust. */
const changed = (
  actor: Actor,
  path: ProviderPath,
  { label, client_id }: Pick<UniversityProviderUpdate, "label" | "client_id">,
  { set, isFitting, isMoved }: Change,
): SQL => sql`
  update identity_providers as one set
    label = coalesce(${label ?? null}, one.label), client_id = coalesce(${client_id ?? null}, one.client_id), ${set},
    vouches = one.vouches and (${can(actor.roles, "identity-provider:grant-domains")}::boolean or not former.is_moved),
    updated_at = service_now()
  from (
    select id, ${isMoved} as is_moved from identity_providers as one where ${identityProviderPathCondition(path)} and ${isFitting} for update
  ) as former
  where one.id = former.id
  returning one.*, former.is_moved`;

const unlinked = (condition: SQL): SQL => sql`, unlinked as (
    delete from user_identities using written
    where user_identities.provider = written.university_id || '.' || written.name and ${condition})`;

async function explainMoveRefusal(
  db: Db,
  path: ProviderPath,
  given: Pick<UniversityProviderUpdate, "client_secret" | "issuer">,
): Promise<never> {
  const { kind } = await getSamlMetadataSource(db, path);
  if (kind === "saml") {
    const field = given.client_secret === undefined ? "issuer" : "client_secret";
    throw invalidField(
      [field],
      field === "issuer" ? "Input comes from the metadata" : "A provider of kind saml has no such field",
    );
  }
  throw invalidField(["client_secret"], "Field required with another issuer", "missing");
}

async function explainKind(db: Db, path: ProviderPath, input: UniversityProviderUpdate): Promise<never> {
  await getSamlMetadataSource(db, path);
  const field = samlFields.find((name) => input[name] !== undefined) ?? "metadata";
  throw invalidField([field], "A provider of kind oidc has no such field");
}

/** By the platform only. */
export async function replaceGrantedDomains(
  db: Db,
  actor: Actor,
  path: ProviderPath,
  domains: readonly string[],
): Promise<UniversityProvider> {
  const wanted = sql`${sql.param([...new Set(domains)].toSorted())}::text[]`;
  const written = sql`
    update identity_providers as one set vouches = true, updated_at = service_now() where ${identityProviderPathCondition(path)} returning one.*`;
  const besides = sql`, removed as (
    delete from university_domains using written
    where university_domains.university_id = written.university_id and domain <> all (${wanted})
  ), added as (
    insert into university_domains (university_id, domain)
    select written.university_id, wanted from written, unnest(${wanted}) as wanted on conflict do nothing
  )`;
  const [provider] = await executeAuditedProviderChange(db, actor, "identity_provider.changed", written, {
    domains: wanted,
    besides,
  });
  return provider ?? missing(db, path);
}

/** Deletes links; accounts stay. 400 for the last one of a university that requires its own. */
export async function removeProvider(db: Db, actor: Actor, path: ProviderPath): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "identity-provider:manage", path.university_id);
  const written = sql`
    delete from identity_providers as one where ${identityProviderPathCondition(path)} and lock_and_check_required_provider_exists(one.university_id, without => one.id)
    returning one.*`;
  const removed = await executeAuditedProviderChange(db, actor, "identity_provider.removed", written, {
    besides: unlinked(sql`true`),
  });
  if (removed.length > 0) return;
  const providers = await listProviders(db, actor, path.university_id);
  if (!providers.some(({ id }) => id === path.identity_provider_id)) await missing(db, path);
  throw badRequest("last_identity_provider");
}

export async function executeAuditedProviderChange(
  db: Db,
  actor: Actor,
  action: AuditAction,
  written: SQL,
  { domains = emailDomains, besides = sql``, saml = samlSettingsJsonSql() } = {},
): Promise<UniversityProvider[]> {
  const details = sql`jsonb_build_object(
    'identity_provider_id', one.id, 'issuer', one.issuer, 'email_domains', ${domains})`;
  const act = { action, actor: actor.id, university: sql`one.university_id`, details };
  const statement = sql`
    with written as (${written})${besides}, audited as (${insertAuditEventsQuery(act, sql`written as one`)})
    select ${wireColumnsSql({ ...columns, email_domains: domains, saml })} from written as one`;
  return (await rowsOf(db, Row, statement)).map(shown);
}

export const identityProviderPathCondition = (
  { university_id, identity_provider_id }: ProviderPath,
  row = sql`one`,
): SQL => sql`${row}.id = ${identity_provider_id} and ${row}.university_id = ${university_id}`;

function ensureSecure({ ENVIRONMENT }: Settings, issuer: string): void {
  if (ENVIRONMENT !== "development" && !issuer.startsWith("https:"))
    throw invalidField(["issuer"], "Input should be an https address");
}

async function missing(db: Db, { university_id }: ProviderPath): Promise<never> {
  await getUniversity(db, university_id);
  throw notFound("Identity provider");
}

/**
 * Re-encrypts secrets that still use the previous SECRET_KEY. Returns the number of stored secrets. Throws if
 * one cannot be decrypted. A concurrent switch of a provider's keys moves a secret between the two columns, so
 * passes repeat until one snapshot of both has none.
 */
export async function reencryptProviderSecrets(db: Db, secrets: EncryptionSecrets): Promise<number> {
  const { id, university_id, secret_ciphertext: first } = identityProviders;
  const { identity_provider_id, second_secret_ciphertext: second } = samlProviders;
  for (;;) {
    const found = { stored: 0, outdated: 0 };
    const renewed = (text: string | null, university: number): string | undefined => {
      const other = text === null ? undefined : renewedSecret(text, university, secrets);
      if (text !== null) found.stored += 1;
      if (other !== undefined) found.outdated += 1;
      return other;
    };
    const rows = await db
      .select({ id, university_id, first, second })
      .from(identityProviders)
      .leftJoin(samlProviders, eq(identity_provider_id, id))
      .orderBy(id);
    for (const row of rows) {
      const secret_ciphertext = renewed(row.first, row.university_id);
      const second_secret_ciphertext = renewed(row.second, row.university_id);
      if (secret_ciphertext !== undefined)
        await db
          .update(identityProviders)
          .set({ secret_ciphertext })
          .where(and(eq(id, row.id), eq(first, row.first)));
      if (second_secret_ciphertext !== undefined)
        await db
          .update(samlProviders)
          .set({ second_secret_ciphertext })
          .where(and(eq(identity_provider_id, row.id), eq(second, row.second ?? "")));
    }
    if (found.outdated === 0) return found.stored;
  }
}

function renewedSecret(
  ciphertext: string,
  university: number,
  secrets: EncryptionSecrets,
): string | undefined {
  const purpose = providerSecretEncryptionPurpose(university);
  const { text, isOutdated } = decryptByCurrentOrPrevious(ciphertext, secrets, purpose);
  return isOutdated ? encrypt(text, secrets.SECRET_KEY, purpose) : undefined;
}
