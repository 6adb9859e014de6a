import { sql } from "drizzle-orm";
import * as z from "zod";
import { forEachSettled } from "../async/for-each-settled.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { accountHashKey } from "../identities/former-accounts.ts";
import type { Secrets } from "../secrets/encryption.ts";

/** Rows of one transaction: some tenths of a second, and what is done again when its process dies. */
const batch = 500;

/** How long the rows of an import that has ended are kept. */
const keptDays = 30;

const Left = z.object({ waiting: z.int().nullable(), recalled: z.int().nullable() });
const Unfinished = z.object({ id: z.int() });

/** Works on an import until nothing is left, someone else works on one of its university, or the signal stops it. */
export async function workImport(
  db: Db,
  secrets: Secrets,
  id: number,
  request: string,
  signal: AbortSignal,
): Promise<void> {
  const key = await accountHashKey(db, secrets);
  for (let left: number | null = 1; left && !signal.aborted; ) {
    // At the end whoever was enrolled is known again by the accounts that they had before.
    const statement = sql`
      select waiting, case when waiting = 0 then find_former_accounts_of(${id}, ${key}::bytea) end as recalled
      from work_import(${id}, ${batch}, ${request}::jsonb) as waiting`;
    const [worked] = await rowsOf(db, Left, statement);
    left = worked?.waiting ?? null;
  }
}

/**
 * Works on all imports that are unfinished, the oldest of each university before its others, and forgets old ones; until
 * the signal stops it. One that fails keeps no other waiting: it rejects in the end with all that failed.
 */
export async function workImports(
  { db, config, now }: { db: Db; config: Secrets; now: () => Date },
  signal: AbortSignal,
): Promise<{ worked: number }> {
  await db.execute(sql`
    delete from imports where ended_at < ${now().toISOString()}::timestamptz - make_interval(days => ${keptDays})`);
  const unfinished = await rowsOf(
    db,
    Unfinished,
    sql`select id from imports where ended_at is null
        order by row_number() over (partition by university_id order by id), id limit 100`,
  );
  await forEachSettled(unfinished, ({ id }) =>
    workImport(db, config, id, JSON.stringify({ at: now() }), signal),
  );
  return { worked: unfinished.length };
}
