import { readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { parseStatements, readFunctionTexts } from "../../../lib/platform/db/migrations/function-texts.ts";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { ownSchema } from "../../../lib/platform/db/migrations/schema.ts";
import { draftStatements } from "./draft.ts";
import { addMigration, migrationsFolder, newestSnapshot } from "./folder.ts";
import { changeTables, readTables, type Snapshot } from "./tables.ts";
import { buildWanted, type Texts } from "./wanted.ts";

/** The next migration; without statements there is nothing to migrate. */
export type Draft = { statements: string[]; tables: Snapshot };

/** Compares schema/db with the tables that a folder's migrations create in an empty database. */
export async function draftMigration(databaseUrl: string, folder = migrationsFolder): Promise<Draft> {
  const previous = await newestSnapshot(folder);
  const tables = await readTables(previous);
  const texts = readTexts();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const wanted = await buildWanted(client, tables, texts);
    // Migrations run before their version's functions are applied.
    const { functions: _, ...tablesAlone } = ownSchema;
    await migrate(databaseUrl, { schema: { ...tablesAlone, migrations: folder } });
    const changes = await changeTables(previous, tables);
    return { statements: await draftStatements(client, wanted, changes, texts), tables };
  } finally {
    await client.end();
  }
}

/** Texts of objects that Drizzle cannot express. */
export function readTexts(): Texts {
  const file = path.resolve(import.meta.dirname, "../../../schema/db/constraints.sql");
  return {
    constraints: parseStatements(readFileSync(file, "utf8"), path.basename(file)),
    functions: readFunctionTexts(ownSchema),
  };
}

/** Writes the draft as the next migration, and returns its file. */
export async function writeMigration(draft: Draft, name: string, folder = migrationsFolder): Promise<string> {
  return addMigration({ ...draft, name, now: Date.now() }, folder);
}
