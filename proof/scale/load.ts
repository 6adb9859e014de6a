import type pg from "pg";
import { openConnectionWithoutTimeouts } from "../../lib/platform/db/driver/connect.ts";
import type { OnProgress } from "../../scripts/ops/progress-bar.ts";
import { buildAllInserts } from "./all-inserts.ts";
import {
  type GeneratedTableInsert,
  type MaxIdByTable,
  tablesWithSequentialIds,
} from "./generated-inserts.ts";
import type { ScaleSize } from "./size.ts";

const batch = 20_000;

/**
 * Loads a synthetic platform of that size into the database, with all constraints. Returns the largest
 * earlier ids; loaded ids follow them.
 */
export async function loadScaleData(
  url: string,
  size: ScaleSize,
  onProgress: OnProgress,
): Promise<MaxIdByTable> {
  const client = await openConnectionWithoutTimeouts(url);
  try {
    const base = await maxIds(client);
    const steps = buildAllInserts(size, base);
    const all = steps.reduce((sum, { count }) => sum + count, 0);
    let done = 0;
    for (const step of steps) {
      for (let from = 0; from < step.count; from += batch) {
        const to = Math.min(from + batch, step.count);
        onProgress(step.what, done, all);
        await insertRows(client, step, from, to);
        done += to - from;
      }
      // Later steps' triggers look up these rows, and need statistics to avoid full scans.
      await client.query(`analyze ${step.table}`);
    }
    onProgress("statistics", done, all);
    for (const table of tablesWithSequentialIds) await countOn(client, table);
    await client.query("vacuum analyze");
    return base;
  } finally {
    await client.end();
  }
}

export async function readMaxIds(url: string): Promise<MaxIdByTable> {
  const client = await openConnectionWithoutTimeouts(url);
  try {
    return await maxIds(client);
  } finally {
    await client.end();
  }
}

async function maxIds(client: pg.Client): Promise<MaxIdByTable> {
  const found = tablesWithSequentialIds.map(
    (table) => `(select coalesce(max(id), 0) from ${table}) as ${table}`,
  );
  const { rows } = await client.query<MaxIdByTable>(`select ${found.join(", ")}`);
  const [base] = rows;
  if (!base) throw new Error("a select without a table returned no row");
  return base;
}

const insertRows = (
  client: pg.Client,
  { table, columns, rows }: GeneratedTableInsert,
  from: number,
  to: number,
) =>
  client.query(`insert into ${table} (${columns}) overriding system value
    select ${rows} from generate_series(${from}, ${to - 1}) as n`);

const countOn = (client: pg.Client, table: string) =>
  client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
