import { setTimeout as delay } from "node:timers/promises";
import type { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";
import { sqlStateOf } from "../unavailable.ts";
import { noteMigration } from "./migration-history.ts";

/*
 * A migration that begins with `-- in steps` is applied statement by statement, each a transaction of its own, so that
 * requests go on beside it and an index can be made `concurrently`. A statement that answers true is repeated until it
 * does not; one behind `-- each` answers statements, each of which is done so. It may be stopped anywhere, and is applied
 * from its beginning the next time: each of its statements finds what was done.
 */

export type Migration = ReturnType<typeof readMigrationFiles>[number];

export const isInSteps = ({ sql: [first = ""] }: Migration): boolean => /^\s*-- in steps\n/.test(first);

/** How often a step comes again for which a table or a row was held, and how long it leaves others alone meanwhile. */
const MOST_TURNS = 600;
const PAUSE_MS = 250;

export async function applyInSteps(client: pg.Client, migration: Migration): Promise<void> {
  for (const statement of migration.sql) await step(client, statement);
  await client.query("reset statement_timeout; reset lock_timeout");
  await noteMigration(client, { hash: migration.hash, generated: migration.folderMillis });
}

async function step(client: pg.Client, statement: string): Promise<void> {
  const isList = /^\s*-- each\n/.test(statement);
  for (;;) {
    const rows = await patiently(client, statement);
    if (isList) for (const [text] of rows) await step(client, String(text));
    if (isList || rows[0]?.[0] !== true) return;
  }
}

/** The rows of a statement, which comes again while others hold what it needs: a lock that it waits for holds up others. */
async function patiently(client: pg.Client, text: string): Promise<unknown[][]> {
  for (let turn = 1; ; turn += 1) {
    try {
      return (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
    } catch (error) {
      if (!["55P03", "40P01"].includes(sqlStateOf(error) ?? "") || turn === MOST_TURNS) throw error;
      await delay(PAUSE_MS);
    }
  }
}
