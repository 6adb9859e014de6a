import { access } from "node:fs/promises";
import { openConnection } from "../../../lib/platform/db/driver/connect.ts";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { progressBar } from "../progress-bar.ts";
import { checkRestore, runProgram } from "./programs.ts";

/**
 * Restores a backup into an empty database atomically, then migrates it. Returns the number of missing
 * migrations. Rejects with `Unfit` if the program is missing.
 */
export async function restoreFrom(url: string, file: string): Promise<number> {
  await access(file).catch(() => {
    throw new Error(`The file ${file} does not exist`);
  });
  await checkRestore(url, file);
  await checkEmpty(url);
  const whole = ["--no-owner", "--no-privileges", "--no-comments", "--single-transaction", "--exit-on-error"];
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  await runProgram("pg_restore", url, [...whole, `--dbname=${name}`, file]);
  const { migrations } = await migrate(url);
  await takeFeedsForOld(url);
  return migrations;
}

/** Rows per update. */
const batch = 50_000;

/** Tables that are read in order of change. */
const feeds = ["activity_events", "course_grades"];

/**
 * Marks the feeds' rows as old. Their transaction numbers are from another server; a feed would hide them
 * until this server's numbers are higher.
 */
async function takeFeedsForOld(url: string): Promise<void> {
  const client = await openConnection(url);
  const bar = progressBar();
  try {
    for (const table of feeds) {
      const { rows } = await client.query(`select coalesce(max(id), 0)::bigint::text as last from ${table}`);
      const last = Number(rows[0].last);
      for (let first = 1; first <= last; first += batch) {
        await client.query(
          `update ${table} set change_number = 0 where id between $1 and $2 and change_number <> 0`,
          [first, first + batch - 1],
        );
        bar(table, Math.min(last, first + batch - 1), last);
      }
    }
  } finally {
    await client.end();
  }
}

/** Never replaces data: the database must be empty. */
async function checkEmpty(url: string): Promise<void> {
  const client = await openConnection(url);
  try {
    const { rows } = await client.query(
      "select from pg_tables where schemaname not in ('pg_catalog', 'information_schema') limit 1",
    );
    if (rows.length > 0)
      throw new Error("The database is not empty. Create a new database, and set DATABASE_URL to it");
  } finally {
    await client.end();
  }
}
