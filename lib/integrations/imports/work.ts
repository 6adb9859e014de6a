import { sql } from "drizzle-orm";
import * as z from "zod";
import { getOrCreateAccountHashKey } from "../../identity/identities/former-accounts.ts";
import { forEachSettled } from "../../platform/async/for-each-settled.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { createAdaptiveStepSize } from "../../platform/db/query/step-size.ts";
import { doInSteps } from "../../platform/db/query/steps.ts";
import type { EncryptionSecrets } from "../../platform/secrets/encryption.ts";

/** The first step takes some tenths of a second and limits what a crash repeats. */
const rowsAtOnce = 500;

const Left = z.object({ waiting: z.int().nullable() });
const Unfinished = z.object({ id: z.int() });

type Work = { id: number; request: string; key: string };

/** Returns the rows left; null while another process works on the university's imports. */
async function workRows(db: Db, { id, request, key }: Work, rows: number): Promise<number | null> {
  const statement = sql`select process_next_import_rows(${id}, ${rows}, ${request}::jsonb, ${key}::bytea) as waiting`;
  const [worked] = await rowsOf(db, Left, statement);
  return worked?.waiting ?? null;
}

/**
 * Each step is one statement, because a client waits. Ends when the import is done, another process works on
 * the university's imports, or the signal stops it.
 */
export async function processImport(
  db: Db,
  secrets: EncryptionSecrets,
  id: number,
  request: string,
  signal: AbortSignal,
): Promise<void> {
  const work = { id, request, key: await getOrCreateAccountHashKey(db, secrets) };
  const size = createAdaptiveStepSize(rowsAtOnce);
  for (let left: number | null = 1; left && !signal.aborted; ) {
    const begun = performance.now();
    left = await workRows(db, work, size.rows());
    size.took(performance.now() - begun);
  }
}

/**
 * Works by university in order of age until the signal stops it. A failed import does not block others;
 * rejects at the end with all failures.
 */
export async function processImports(
  { db, config, now }: { db: Db; config: EncryptionSecrets; now: () => Date },
  signal: AbortSignal,
): Promise<{ worked: number }> {
  const unfinished = await rowsOf(
    db,
    Unfinished,
    sql`select id from imports where ended_at is null
        order by row_number() over (partition by university_id order by id), id limit 100`,
  );
  await forEachSettled(unfinished, async ({ id }) => {
    const work = {
      id,
      request: JSON.stringify({ at: now() }),
      key: await getOrCreateAccountHashKey(db, config),
    };
    const step = async (tx: Db, rows: number) => ((await workRows(tx, work, rows)) ?? 0) > 0;
    await doInSteps(db, { rows: rowsAtOnce, signal }, step);
  });
  return { worked: unfinished.length };
}
