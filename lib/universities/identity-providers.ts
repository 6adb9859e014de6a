import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  UniversityProvider,
  type UniversityProviderCreate,
  type UniversityProviderUpdate,
} from "../../schema/api/identity-providers.ts";
import { identityProviders } from "../../schema/db/identity-providers.ts";
import type { AuditAction } from "../../schema/enums.ts";
import { auditOf } from "../audit/record.ts";
import type { Actor } from "../auth/actor.ts";
import { loginNameOf, secretPurposeOf } from "../auth/university-providers.ts";
import type { Config } from "../config.ts";
import type { Db, ReadDb } from "../db/client.ts";
import { wireColumns } from "../db/query/json-rows.ts";
import { rowsOf } from "../db/query/rows.ts";
import { badRequest, invalidField, notFound } from "../errors.ts";
import { can } from "../rbac/policy.ts";
import { decryptByEither, encrypt, type Secrets } from "../secrets/encryption.ts";
import { domainsOf } from "./domains.ts";
import { ensureIn, getUniversity, throwMissingUniversity } from "./universities.ts";

type Settings = Pick<Config, "SECRET_KEY" | "ENVIRONMENT">;

/** Where a provider is: its id counts in its own university only. */
export type ProviderPath = { university_id: number; identity_provider_id: number };

const one = alias(identityProviders, "one");

/** The domains for whose addresses a provider vouches, of a row `one`. */
const emailDomains = sql`case when one.vouches then ${domainsOf(sql`one.university_id`)} else '{}' end`;

const columns = {
  id: one.id,
  university_id: one.university_id,
  name: one.name,
  label: one.label,
  issuer: one.issuer,
  client_id: one.client_id,
  email_domains: emailDomains,
  created_at: one.created_at,
  updated_at: one.updated_at,
};

const Row = UniversityProvider.omit({ login_name: true });

const shown = (row: z.output<typeof Row>): UniversityProvider => ({ ...row, login_name: loginNameOf(row) });

/** The providers of a university by name, for its administrators; 404 without it, 403 to everyone else. */
export async function listProviders(
  db: ReadDb,
  actor: Actor,
  universityId: number,
): Promise<UniversityProvider[]> {
  await ensureIn(db, actor, "identity-provider:manage", universityId);
  const rows = await rowsOf(
    db,
    Row,
    sql`select ${wireColumns(columns)} from identity_providers as one
        where one.university_id = ${universityId} order by one.name`,
  );
  if (rows.length === 0) await getUniversity(db, universityId);
  return rows.map(shown);
}

/** Adds a provider, which vouches for addresses in the university's domains; 400 for a name that is taken, 422 for an insecure issuer. */
export async function createProvider(
  db: Db,
  config: Settings,
  actor: Actor,
  universityId: number,
  { client_secret, ...input }: UniversityProviderCreate,
): Promise<UniversityProvider> {
  await ensureIn(db, actor, "identity-provider:manage", universityId);
  ensureSecure(config, input.issuer);
  const ciphertext = encrypt(client_secret, config.SECRET_KEY, secretPurposeOf(universityId));
  const written = sql`
    insert into identity_providers (university_id, name, label, issuer, client_id, secret_ciphertext)
    values (${universityId}, ${input.name}, ${input.label}, ${input.issuer}, ${input.client_id}, ${ciphertext})
    returning *`;
  const [provider] = await audited(db, actor, "identity_provider.created", written).catch(
    throwMissingUniversity,
  );
  if (!provider) throw notFound("University");
  return provider;
}

/**
 * Changes a provider; absent fields keep their values. Another issuer is another provider: who was linked is forgotten,
 * and it vouches for no addresses until they are granted anew, unless a platform_admin changes it. The secret would be
 * sent to that one from then on: it has to be given, else 422.
 */
export async function updateProvider(
  db: Db,
  config: Settings,
  actor: Actor,
  path: ProviderPath,
  { client_secret, label, issuer, client_id }: UniversityProviderUpdate,
): Promise<UniversityProvider> {
  await ensureIn(db, actor, "identity-provider:manage", path.university_id);
  if (issuer !== undefined) ensureSecure(config, issuer);
  const ciphertext =
    client_secret && encrypt(client_secret, config.SECRET_KEY, secretPurposeOf(path.university_id));
  const isMoved = sql`one.issuer <> coalesce(${issuer ?? null}, one.issuer)`;
  const keepsDomains = can(actor.roles, "identity-provider:grant-domains");
  const written = sql`
    update identity_providers as one set
      label = coalesce(${label ?? null}, one.label), issuer = coalesce(${issuer ?? null}, one.issuer),
      client_id = coalesce(${client_id ?? null}, one.client_id),
      secret_ciphertext = coalesce(${ciphertext ?? null}, one.secret_ciphertext),
      vouches = one.vouches and (${keepsDomains}::boolean or not ${isMoved}),
      updated_at = service_now()
    from (
      select id, ${isMoved} as is_moved from identity_providers as one
      where ${at(path)} and (${ciphertext !== undefined}::boolean or not ${isMoved}) for update
    ) as former
    where one.id = former.id
    returning one.*, case when former.is_moved
      then delete_identities(one.university_id || '.' || one.name)::text end as forgotten`;
  const [provider] = await audited(db, actor, "identity_provider.changed", written);
  return provider ?? explainMoveRefusal(db, path);
}

/** Why nothing was changed: there is no such provider, or it was to move without its secret. */
async function explainMoveRefusal(db: Db, path: ProviderPath): Promise<never> {
  const found = await rowsOf(db, Found, sql`select one.id from identity_providers as one where ${at(path)}`);
  if (found.length === 0) return missing(db, path);
  throw invalidField(["client_secret"], "Field required with another issuer", "missing");
}

const Found = z.object({ id: z.int() });

/** Sets the university's domains, for which the provider vouches from then on: the platform knows whose domains are. */
export async function grantDomains(
  db: Db,
  actor: Actor,
  path: ProviderPath,
  domains: readonly string[],
): Promise<UniversityProvider> {
  const wanted = sql`${sql.param([...new Set(domains)].toSorted())}::text[]`;
  const written = sql`
    update identity_providers as one set vouches = true, updated_at = service_now() where ${at(path)} returning one.*`;
  const besides = sql`, removed as (
    delete from university_domains using written
    where university_domains.university_id = written.university_id and domain <> all (${wanted})
  ), added as (
    insert into university_domains (university_id, domain)
    select written.university_id, wanted from written, unnest(${wanted}) as wanted on conflict do nothing
  )`;
  const [provider] = await audited(db, actor, "identity_provider.changed", written, {
    domains: wanted,
    besides,
  });
  return provider ?? missing(db, path);
}

/**
 * Removes a provider; who was linked by it is forgotten, and their accounts stay. 400 for the last one of a university
 * that asks for a sign-in by its own.
 */
export async function removeProvider(db: Db, actor: Actor, path: ProviderPath): Promise<void> {
  await ensureIn(db, actor, "identity-provider:manage", path.university_id);
  const written = sql`
    delete from identity_providers as one where ${at(path)} and may_remove_provider(one.university_id, one.id)
    returning one.*, delete_identities(one.university_id || '.' || one.name)::text as forgotten`;
  const removed = await audited(db, actor, "identity_provider.removed", written);
  if (removed.length > 0) return;
  const providers = await listProviders(db, actor, path.university_id);
  if (!providers.some(({ id }) => id === path.identity_provider_id)) await missing(db, path);
  throw badRequest("The university asks for a sign-in by its own identity provider, and this is the last");
}

/**
 * Does what is written and what stands `besides`, with a line of the audit log for each row: of the provider, and never of
 * its secret.
 */
async function audited(
  db: Db,
  actor: Actor,
  action: AuditAction,
  written: SQL,
  { domains = emailDomains, besides = sql`` } = {},
): Promise<UniversityProvider[]> {
  const details = sql`jsonb_build_object(
    'identity_provider_id', one.id, 'issuer', one.issuer, 'email_domains', ${domains})`;
  const act = { action, actor: actor.id, university: sql`one.university_id`, details };
  const statement = sql`
    with written as (${written})${besides}, audited as (${auditOf(act, sql`written as one`)})
    select ${wireColumns({ ...columns, email_domains: domains })} from written as one`;
  return (await rowsOf(db, Row, statement)).map(shown);
}

const at = ({ university_id, identity_provider_id }: ProviderPath): SQL =>
  sql`one.id = ${identity_provider_id} and one.university_id = ${university_id}`;

function ensureSecure({ ENVIRONMENT }: Settings, issuer: string): void {
  if (ENVIRONMENT !== "development" && !issuer.startsWith("https:"))
    throw invalidField(["issuer"], "Input should be an https address");
}

async function missing(db: Db, { university_id }: ProviderPath): Promise<never> {
  await getUniversity(db, university_id);
  throw notFound("Identity provider");
}

/** Encrypts anew what is still under the key before SECRET_KEY; how many secrets are stored. Throws for one that neither opens. */
export async function renewProviderSecrets(db: Db, secrets: Secrets): Promise<number> {
  const { id, university_id, secret_ciphertext } = identityProviders;
  const stored = await db.select({ id, university_id, secret_ciphertext }).from(identityProviders);
  for (const one of stored) {
    const purpose = secretPurposeOf(one.university_id);
    const { text, isOutdated } = decryptByEither(one.secret_ciphertext, secrets, purpose);
    if (!isOutdated) continue;
    const renewed = { secret_ciphertext: encrypt(text, secrets.SECRET_KEY, purpose) };
    // Unless someone has given another secret meanwhile.
    const isSame = and(eq(id, one.id), eq(secret_ciphertext, one.secret_ciphertext));
    await db.update(identityProviders).set(renewed).where(isSame);
  }
  return stored.length;
}
