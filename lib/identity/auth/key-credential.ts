import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { apiKeyScopes } from "../../../schema/enums.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ActingApiKey } from "./acting-key.ts";
import { type Actor, type ActorLookup, type PersonWithRolesAndLimits, profileJsonSql } from "./actor.ts";
import type { ParsedApiKey } from "./api-key-format.ts";

const Found = z.object({ person: z.string() });

const Key = z.object({
  id: z.int(),
  university_id: z.int(),
  scopes: z.array(z.enum(apiKeyScopes)),
  last_used_on: z.string().nullable(),
});

/**
 * The key stays valid while its creator administers the whole university. Uses rows of `api_keys` and
 * `users`.
 */
export const keyCreatorIsAdministratorCondition: SQL = sql`(
  users.is_active and users.erased_at is null and not is_suspended(api_keys.university_id, users.id) and exists (
    select from user_university_roles as held where held.user_id = users.id and (
      held.role = 'platform_admin'
      or held.role = 'university_admin' and held.university_id = api_keys.university_id and held.department_id is null)))`;

/** Uses the same rows. */
export const validApiKeyCondition: SQL = sql`(
  api_keys.revoked_at is null and api_keys.expires_at > service_now() and ${keyCreatorIsAdministratorCondition})`;

/**
 * An API key acts as its creator, with an administrator's rights in the key's university, limited to its
 * scopes. No person for unknown, expired and revoked keys, and keys whose creator lost the right.
 */
export const apiKeyActorLookup = ({ id, hash }: ParsedApiKey): ActorLookup => ({
  name: `lk_${id}`,
  isUnproven: true,
  async find(db: ReadDb) {
    const [row] = await rowsOf(
      db,
      Found,
      sql`
      select json_build_object(
        'profile', ${profileJsonSql}, 'own_providers', null, 'suspensions', null, 'only_university_id', null,
        'roles', json_build_array(json_build_object(
          'role', 'university_admin', 'university_id', api_keys.university_id, 'department_id', null, 'course_id', null)),
        'key', json_build_object(
          'id', api_keys.id, 'university_id', api_keys.university_id, 'scopes', to_json(api_keys.scopes),
          'last_used_on', api_keys.last_used_on))::text as person
      from api_keys join users on users.id = api_keys.maker_id
      where api_keys.id = ${id} and api_keys.key_hash = ${hash} and ${validApiKeyCondition}`,
    );
    return row?.person;
  },
  actorOf: ({ profile, roles, ...person }: PersonWithRolesAndLimits): Actor => {
    const key = Key.parse("key" in person ? person.key : undefined);
    const reach = { university_id: key.university_id };
    return {
      id: profile.id,
      token_version: 0,
      profile,
      roles,
      reach,
      only_university_id: null,
      withheld: [],
      key,
    };
  },
});

export async function recordApiKeyUse(db: Db, key: ActingApiKey, day: string): Promise<void> {
  if (key.last_used_on === day) return;
  await db.execute(
    sql`update api_keys set last_used_on = ${day}::date where id = ${key.id} and last_used_on is distinct from ${day}::date`,
  );
}
