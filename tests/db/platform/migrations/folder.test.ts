import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { migrate } from "../../../../lib/platform/db/migrations/migrate.ts";
import { ownSchema } from "../../../../lib/platform/db/migrations/schema.ts";
import journal from "../../../../schema/migrations/meta/_journal.json" with { type: "json" };
import {
  addMigration,
  migrationsFolder,
  newestSnapshot,
} from "../../../../scripts/build/migrations/folder.ts";
import { readTables } from "../../../../scripts/build/migrations/tables.ts";
import { cloneDatabase } from "../../../support/database.ts";

it("a new migration is applied after the others, regardless of the clock", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "migrations-"));
  await cp(migrationsFolder, folder, { recursive: true });
  const tables = await readTables(await newestSnapshot());
  const statements = ["create table one ();", "create table two ();"];
  const file = await addMigration({ name: "one_and_two", statements, tables, now: 0 }, folder);

  expect(path.basename(file)).toBe(`${String(journal.entries.length).padStart(4, "0")}_one_and_two.sql`);
  expect((await newestSnapshot(folder)).prevId).toBe((await newestSnapshot()).id);
  const snapshots = (await readdir(path.join(folder, "meta"))).filter((name) =>
    name.endsWith("_snapshot.json"),
  );
  expect(snapshots).toEqual([`${String(journal.entries.length).padStart(4, "0")}_snapshot.json`]);
  const database = await cloneDatabase();
  expect((await migrate(database.url, { schema: { ...ownSchema, migrations: folder } })).migrations).toBe(1);
  expect(await database.run("select to_regclass('one') as one, to_regclass('two') as two")).toEqual([
    { one: "one", two: "two" },
  ]);
  await Promise.all([database.drop(), rm(folder, { recursive: true })]);
});
