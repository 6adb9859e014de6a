import { sql } from "drizzle-orm";
import * as z from "zod";
import journal from "../../../../schema/migrations/meta/_journal.json" with { type: "json" };
import type { ReadDb } from "../client.ts";
import { rowsOf } from "../query/rows.ts";
import { ownFunctions } from "./functions-hash.ts";
import { isNewer } from "./newer-version.ts";

const UNDEFINED_TABLE = "42P01";

export type Readiness = {
  /**
   * This version's missing migrations; its functions count as one. A newer version's are fine: this one keeps
   * running.
   */
  missing: number;
  /** False for a standby, and for a database made read-only by a full disk. */
  isWritable: boolean;
};

export async function readDatabaseReadiness(db: ReadDb): Promise<Readiness> {
  const { newest, versions, is_writable: isWritable } = await stateOf(db);
  const hasFunctions = versions.some(
    ({ functions, version }) => functions === ownFunctions.hash || isNewer(version, ownFunctions.version),
  );
  const migrations = journal.entries.filter(({ when }) => when > newest).length;
  return { missing: migrations + (hasFunctions ? 0 : 1), isWritable };
}

export const missingMigrationCount = async (db: ReadDb): Promise<number> =>
  (await readDatabaseReadiness(db)).missing;

const State = z.object({
  newest: z.number(),
  versions: z.array(z.object({ functions: z.string(), version: z.string() })),
  is_writable: z.boolean(),
});

async function stateOf(db: ReadDb): Promise<z.output<typeof State>> {
  const statement = sql`
    select coalesce(max(created_at), 0)::float8 as newest,
           (select coalesce(jsonb_agg(jsonb_build_object('functions', functions, 'version', version)), '[]')
            from drizzle.applied_versions) as versions,
           current_setting('transaction_read_only') = 'off' as is_writable
    from drizzle.__drizzle_migrations`;
  const [state] = await rowsOf(db, State, statement).catch((error) => {
    if (error.cause?.code === UNDEFINED_TABLE) return [];
    throw error;
  });
  return state ?? { newest: 0, versions: [], is_writable: true };
}
