import { sql } from "drizzle-orm";
import * as z from "zod";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { SamlRefusal } from "./refusals.ts";

/*
 * A discovery service asks users for their institution and returns its entity ID (Identity Provider Discovery
 * Service Protocol and Profile), which only selects the provider.
 */

const Found = z.object({ login_name: z.string() });

/**
 * Only providers with domains granted by the platform count: metadata of a foreign entity must not redirect
 * users. Throws a `SamlRefusal` unless exactly one matches.
 */
export async function findLoginNameByEntityId(
  db: ReadDb,
  entityId: string,
  universityId: number | undefined,
): Promise<string> {
  const [found, ...others] = await rowsOf(
    db,
    Found,
    sql`select one.university_id || '.' || one.name as login_name
        from identity_providers as one join universities as university on university.id = one.university_id
        where one.kind = 'saml' and one.issuer = ${entityId} and one.vouches and university.is_active
          and (${universityId ?? null}::int is null or one.university_id = ${universityId ?? null}::int)
          and exists (select from university_domains as domain where domain.university_id = one.university_id)
        order by one.id limit 2`,
  );
  if (!found || others.length > 0) throw new SamlRefusal("unknown_provider", `it is ${entityId}`);
  return found.login_name;
}
