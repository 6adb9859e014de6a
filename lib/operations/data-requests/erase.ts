import { sql } from "drizzle-orm";
import type { Deps } from "../../deps.ts";
import { getOrCreateAccountHashKey } from "../../identity/identities/former-accounts.ts";
import { repeatInStepsWhileMore } from "../../platform/db/query/steps.ts";

const rowsAtOnce = 500;

/**
 * Erases people's data at universities after approved requests
 * (schema/functions/operations/data-requests.sql), until `signal`. Returns the number of batches.
 */
export async function executeApprovedUniversityErasures(
  { db, config, now }: Pick<Deps, "db" | "config" | "now">,
  signal: AbortSignal,
): Promise<number> {
  const key = await getOrCreateAccountHashKey(db, config);
  return repeatInStepsWhileMore(
    db,
    { rows: rowsAtOnce, signal },
    (rows) => sql`process_university_erasures(${now().toISOString()}, ${rows}, ${key}::bytea)`,
  );
}
