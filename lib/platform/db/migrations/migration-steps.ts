import { setTimeout as delay } from "node:timers/promises";
import type { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";
import { sqlStateOf } from "../unavailable.ts";
import { recordAppliedMigration } from "./migration-history.ts";

/*
 * A migration that begins with `-- in steps` runs each statement in its own transaction. Requests continue,
 * and indexes can be built `concurrently`. A statement that returns true is repeated; one behind `-- each`
 * returns statements to run. Interrupted migrations start again, so statements must be idempotent.
 */

export type Migration = ReturnType<typeof readMigrationFiles>[number];

export const isInSteps = ({ sql: [first = ""] }: Migration): boolean => /^\s*-- in steps\n/.test(first);

/** Retries of a step whose table or row is locked. */
const MOST_TURNS = 600;
const PAUSE_MS = 250;

export async function applyInSteps(client: pg.Client, migration: Migration): Promise<void> {
  for (const statement of migration.sql) await step(client, statement);
  await client.query("reset statement_timeout; reset lock_timeout");
  await recordAppliedMigration(client, { hash: migration.hash, generated: migration.folderMillis });
}

async function step(client: pg.Client, statement: string): Promise<void> {
  const isList = /^\s*-- each\n/.test(statement);
  for (;;) {
    const rows = await patiently(client, statement);
    if (isList) for (const [text] of rows) await step(client, String(text));
    if (isList || rows[0]?.[0] !== true) return;
  }
}

/** Waits for a lock only briefly, because later requests queue behind it, and retries. */
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
