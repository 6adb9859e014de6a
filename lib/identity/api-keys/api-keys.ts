import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  ApiKey,
  type ApiKeyCreate,
  type ApiKeyCreated,
  type ApiKeyQuery,
} from "../../../schema/api/identity/api-keys.ts";
import { apiKeys } from "../../../schema/db/identity/api-keys.ts";
import type { AuditAction } from "../../../schema/enums.ts";
import { badRequest, notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { rowsOf, StoredInstant, typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { insertAuditEventsQuery } from "../audit/record.ts";
import type { Actor } from "../auth/actor.ts";
import { formatApiKey, hashApiKeySecret, randomApiKeySecret } from "../auth/api-key-format.ts";
import { validApiKeyCondition } from "../auth/key-credential.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "../universities/universities.ts";

/** A key's id is valid only within its university. */
export type ApiKeyPath = { university_id: number; api_key_id: number };

const maxApiKeyLifetimeYears = 5;

const columns = {
  id: apiKeys.id,
  university_id: apiKeys.university_id,
  name: apiKeys.name,
  scopes: apiKeys.scopes,
  maker: typedSql(
    z.custom<ApiKey["maker"]>(),
  )`json_build_object('id', users.id, 'full_name', users.full_name)`,
  is_valid: typedSql(z.boolean())`${validApiKeyCondition}`,
  created_at: apiKeys.created_at,
  expires_at: apiKeys.expires_at,
  revoked_at: apiKeys.revoked_at,
  last_used_on: apiKeys.last_used_on,
};

const Stored = ApiKey.extend({
  created_at: StoredInstant,
  expires_at: StoredInstant,
  revoked_at: StoredInstant.nullable(),
});

/** Newest first. 404 without the university, 403 for non-administrators. */
export async function listApiKeys(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  query: ApiKeyQuery,
): Promise<JsonListPage<ApiKey>> {
  await ensureAllowedInUniversity(db, actor, "api-key:manage", universityId);
  const page = createPageQuery(query, [descending(apiKeys.id)]);
  const found = await queryJsonPage<ApiKey>(
    db,
    page.rows(
      columns,
      sql`api_keys join users on users.id = api_keys.maker_id`,
      sql`api_keys.university_id = ${universityId}`,
    ),
  );
  if (found.text === "[]") await getUniversity(db, universityId);
  return found;
}

/**
 * The key acts as the caller. Its text is returned only here. 404 without the university, 403 for
 * non-administrators, 400 for an expiry in the past or after five years.
 */
export async function createApiKey(
  db: Db,
  actor: Actor,
  universityId: number,
  { name, scopes, expires_at }: ApiKeyCreate,
  now: Date,
): Promise<ApiKeyCreated> {
  await ensureAllowedInUniversity(db, actor, "api-key:manage", universityId);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + maxApiKeyLifetimeYears);
  if (new Date(expires_at) <= now || new Date(expires_at) > latest)
    throw badRequest("expires_at_out_of_range", { years: maxApiKeyLifetimeYears });
  const part = randomApiKeySecret();
  const made = sql`
    insert into api_keys (university_id, name, scopes, key_hash, maker_id, expires_at)
    values (${universityId}, ${name}, ${sql.param([...new Set(scopes)])}::text[], ${hashApiKeySecret(part)}, ${actor.id}, ${expires_at})
    returning *`;
  const [key] = await written(db, actor, "api_key.created", made).catch(rethrowMissingUniversityAsNotFound);
  if (!key) throw notFound("University");
  return { ...key, key: formatApiKey(key.id, part) };
}

/** Idempotent. 404 if the university has no such key. */
export async function revokeApiKey(db: Db, actor: Actor, path: ApiKeyPath): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "api-key:manage", path.university_id);
  const revoked = sql`
    update api_keys set revoked_at = service_now() where ${at(path)} and revoked_at is null returning *`;
  if ((await written(db, actor, "api_key.revoked", revoked)).length === 0) await ensureThere(db, path);
}

/** The key acts as the caller. 404 if the university has no such key, 400 if it is revoked. */
export async function adoptApiKey(db: Db, actor: Actor, path: ApiKeyPath): Promise<ApiKey> {
  await ensureAllowedInUniversity(db, actor, "api-key:manage", path.university_id);
  const adopted = sql`
    update api_keys set maker_id = ${actor.id}, warned_at = null where ${at(path)} and revoked_at is null returning *`;
  const [key] = await written(db, actor, "api_key.adopted", adopted);
  if (key) return key;
  await ensureThere(db, path);
  throw badRequest("api_key_revoked");
}

const at = ({ university_id, api_key_id }: ApiKeyPath): SQL =>
  sql`api_keys.id = ${api_key_id} and api_keys.university_id = ${university_id}`;

async function written(
  db: Db,
  actor: Actor,
  action: AuditAction,
  write: SQL,
): Promise<z.output<typeof Stored>[]> {
  const act = {
    action,
    actor: actor.id,
    university: sql`api_keys.university_id`,
    details: sql`jsonb_build_object('id', api_keys.id, 'name', api_keys.name, 'scopes', to_jsonb(api_keys.scopes))`,
  } as const;
  return rowsOf(
    db,
    Stored,
    sql`
    with api_keys as (${write}), audited as (${insertAuditEventsQuery(act, sql`api_keys`)})
    select ${wireColumnsSql(columns)} from api_keys join users on users.id = api_keys.maker_id`,
  );
}

async function ensureThere(db: Db, path: ApiKeyPath): Promise<void> {
  const [found] = await rowsOf(db, z.object({ id: z.int() }), sql`select id from api_keys where ${at(path)}`);
  if (found) return;
  await getUniversity(db, path.university_id);
  throw notFound("API key");
}
