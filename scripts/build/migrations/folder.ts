import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { ownSchema } from "../../../lib/platform/db/migrations/schema.ts";
import { noTables, type Snapshot } from "./tables.ts";

export const migrationsFolder = ownSchema.migrations;

type Entry = { idx: number; version: string; when: number; tag: string; breakpoints: boolean };
type Journal = { version: string; dialect: string; entries: Entry[] };

export async function newestSnapshot(folder = migrationsFolder): Promise<Snapshot> {
  const newest = (await readJournal(folder)).entries.at(-1);
  if (!newest) return noTables();
  return JSON.parse(await readFile(snapshotOf(folder, newest.idx), "utf8"));
}

/**
 * Adds a migration in Drizzle's format: statements, snapshot and journal entry. Deletes the previous
 * snapshot, which is no longer needed.
 */
export async function addMigration(
  migration: { name: string; statements: string[]; tables: Snapshot; now: number },
  folder = migrationsFolder,
): Promise<string> {
  const journal = await readJournal(folder);
  const former = journal.entries.at(-1);
  const idx = (former?.idx ?? -1) + 1;
  const tag = `${number(idx)}_${migration.name}`;
  // A migration is applied if newer than the last one, so its time must increase even if developers' clocks
  // differ.
  const when = Math.max(migration.now, (former?.when ?? 0) + 1);
  journal.entries.push({ idx, version: journal.version, when, tag, breakpoints: true });
  const file = path.join(folder, `${tag}.sql`);
  await writeFile(
    file,
    `${migration.statements.map((text) => text.trim()).join("--> statement-breakpoint\n")}\n`,
  );
  await writeFile(snapshotOf(folder, idx), asJson(migration.tables));
  if (former) await rm(snapshotOf(folder, former.idx), { force: true });
  await writeFile(path.join(folder, "meta/_journal.json"), asJson(journal));
  return file;
}

async function readJournal(folder: string): Promise<Journal> {
  return JSON.parse(await readFile(path.join(folder, "meta/_journal.json"), "utf8"));
}

const snapshotOf = (folder: string, idx: number) => path.join(folder, "meta", `${number(idx)}_snapshot.json`);

const number = (idx: number) => String(idx).padStart(4, "0");

const asJson = (value: unknown) => JSON.stringify(value, null, 2);
