import { readdir } from "node:fs/promises";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";

const folder = new URL("../../../schema/db/", import.meta.url);

/** Drizzle's snapshot of tables, stored with a migration. */
export type Snapshot = ReturnType<typeof generateDrizzleJson>;

export async function readTables(previous?: Snapshot): Promise<Snapshot> {
  const files = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith(".ts"))
    .toSorted();
  const modules = await Promise.all(files.map((name): Promise<object> => import(new URL(name, folder).href)));
  return generateDrizzleJson(Object.assign({}, ...modules), previous?.id);
}

/** The statements that change one set of tables into another. Asks on the terminal about renames. */
export async function changeTables(from: Snapshot, to: Snapshot): Promise<string[]> {
  return generateMigration(from, to);
}

export async function createTables(tables: Snapshot): Promise<string[]> {
  return generateMigration(noTables(), tables);
}

export const noTables = (): Snapshot => generateDrizzleJson({});
