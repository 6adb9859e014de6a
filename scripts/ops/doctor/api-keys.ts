import { sql } from "drizzle-orm";
import * as z from "zod";
import { endingOrOrphanedApiKeyCondition } from "../../../lib/identity/api-keys/ending-keys.ts";
import { keyCreatorIsAdministratorCondition } from "../../../lib/identity/auth/key-credential.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { advice, type Finding, ok } from "./finding.ts";

const Key = z.object({ university: z.string(), id: z.int(), name: z.string(), is_orphaned: z.boolean() });

/** Limit of keys listed by name. */
const maxApiKeysNamedByDoctor = 50;

/** API keys that stop or stopped without revocation: their creator lost the rights, or they expire. */
export async function checkApiKeys(db: Db): Promise<Finding> {
  const keys = await rowsOf(
    db,
    Key,
    sql`select university.name as university, api_keys.id, api_keys.name, not ${keyCreatorIsAdministratorCondition} as is_orphaned
        from api_keys join users on users.id = api_keys.maker_id
        join universities as university on university.id = api_keys.university_id
        where ${endingOrOrphanedApiKeyCondition(sql`service_now()`)}
        order by api_keys.id limit ${maxApiKeysNamedByDoctor}`,
  );
  if (keys.length === 0)
    return ok("every API key has an active administrator, and is valid for a month or longer");
  const named = keys.map(
    ({ university, id, name, is_orphaned }) =>
      `${university}: ${name} (${id}), ${is_orphaned ? "its creator no longer administers the university" : "expires within a month"}`,
  );
  return advice(
    `API keys that stop working:\n      ${named.join("\n      ")}`,
    "ask an administrator of the university to adopt them or to create new ones",
  );
}
