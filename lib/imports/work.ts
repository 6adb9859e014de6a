import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { eachDespiteFailures } from "../despite-failures.ts";

/** Rows of one transaction: some tenths of a second, and what is done again when its process dies. */
const batch = 500;

/** How long the rows of an import that has ended are kept. */
const keptDays = 30;

const Left = z.object({ waiting: z.int().nullable() });
const Unfinished = z.object({ id: z.int() });

/** Works on an import until nothing is left, someone else works on one of its university, or the signal stops it. */
export async function workImport(db: Db, id: number, request: string, signal: AbortSignal): Promise<void> {
  for (let left: number | null = 1; left && !signal.aborted; ) {
    const statement = sql`select work_import(${id}, ${batch}, ${request}::jsonb) as waiting`;
    const [worked] = await rowsOf(db, Left, statement);
    left = worked?.waiting ?? null;
  }
}

/**
 * Works on all imports that are unfinished, the oldest of each university before its others, and forgets old ones; until
 * the signal stops it. One that fails keeps no other waiting: it rejects in the end with all that failed.
 */
export async function workImports(
  { db, now }: { db: Db; now: () => Date },
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
  await eachDespiteFailures(unfinished, ({ id }) =>
    workImport(db, id, JSON.stringify({ at: now() }), signal),
  );
  return { worked: unfinished.length };
}
