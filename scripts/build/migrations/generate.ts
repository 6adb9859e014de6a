import pg from "pg";
import { readStatements } from "../../../lib/db/migrations/function-texts.ts";
import { migrate } from "../../../lib/db/migrations/migrate.ts";
import { draftStatements, type Version } from "./draft.ts";
import { addMigration, migrationsFolder, newestSnapshot } from "./folder.ts";
import { changeTables, readTables, type Snapshot } from "./tables.ts";
import { buildWanted } from "./wanted.ts";

/** What the next migration would be made of; no statements: there is nothing to migrate. */
export type Draft = { statements: string[]; tables: Snapshot };

/** Compares schema/ with what the migrations of a folder make, in an empty database that is migrated by it. */
export async function draftMigration(
  databaseUrl: string,
  version: Version,
  folder = migrationsFolder,
): Promise<Draft> {
  const previous = await newestSnapshot(folder);
  const tables = await readTables(previous);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const wanted = await buildWanted(client, tables, await readStatements());
    await migrate(databaseUrl, folder);
    const statements = await draftStatements(client, wanted, await changeTables(previous, tables), version);
    return { statements: withoutLookingIntoBodies(statements), tables };
  } finally {
    await client.end();
  }
}

/** Writes the draft down as the next migration, and answers its file. */
export async function writeMigration(draft: Draft, name: string, folder = migrationsFolder): Promise<string> {
  return addMigration({ ...draft, name, now: Date.now() }, folder);
}

/** Functions name each other, and parts of the migration that come later. */
function withoutLookingIntoBodies(statements: string[]): string[] {
  if (!statements.some((text) => /^create or replace function/m.test(text))) return statements;
  return ["set local check_function_bodies = off;", ...statements, "set local check_function_bodies = on;"];
}
