import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../../lib/config.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { chooseFileStore } from "../../../lib/platform/file-store/choose-file-store.ts";
import type { FileStore } from "../../../lib/platform/file-store/file-store.ts";
import { resolveFileStoreSetting } from "../../../lib/platform/file-store/setting.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

/** Above this, the comparison is skipped and reported, because it needs too much memory. */
const maxStoredFilesCompared = 1_000_000;

/** Files in transition may be in only one of the two. */
const settledAfterMs = 60 * 60 * 1000;

/** An object that the database expects in the store. */
export type StoredRow = { key: string; created_at: string };

/** Objects without a row, and rows without an object; empty without a store or a table of files. */
export async function checkStoredFiles(db: Db, config: Config): Promise<Finding[]> {
  if (!resolveFileStoreSetting(config)) return [];
  const Table = z.object({ has_table: z.boolean() });
  const [found] = await rowsOf(db, Table, sql`select to_regclass('stored_objects') is not null as has_table`);
  if (!found?.has_table) return [];
  const rows = await rowsOf(
    db,
    z.object({ key: z.string(), created_at: z.string() }),
    sql`
      select key, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at
      from stored_objects where going_at is null limit ${maxStoredFilesCompared + 1}`,
  );
  const store = chooseFileStore(config, () => new Date());
  return compareStored(rows, store).catch((error: Error) => [
    advice(`the files in ${store.name} were not compared with those in the database`, error.message),
  ]);
}

/** Reports differences, except for files younger than an hour. */
export async function compareStored(rows: readonly StoredRow[], store: FileStore): Promise<Finding[]> {
  if (rows.length > maxStoredFilesCompared)
    return [
      advice(
        `there are over ${maxStoredFilesCompared} stored files, so they were not compared`,
        "check the store",
      ),
    ];
  const before = new Date(Date.now() - settledAfterMs);
  const known = new Set(rows.map(({ key }) => key));
  const missing = new Set(
    rows.filter(({ created_at }) => new Date(created_at) < before).map(({ key }) => key),
  );
  const unknown: string[] = [];
  for await (const { key, modified_at } of store.list("objects/")) {
    missing.delete(key);
    if (!known.has(key) && modified_at < before) unknown.push(key);
  }
  const findings: Finding[] = [];
  if (missing.size > 0)
    findings.push(
      wrong(
        `${missing.size} files of the database are not in ${store.name}: ${named([...missing])}`,
        "restore them from the store's own backup; until then, requests for them return 404",
      ),
    );
  if (unknown.length > 0)
    findings.push(
      advice(
        `${unknown.length} objects in ${store.name} are in no row of the database: ${named(unknown)}`,
        "they only use space: remove them when no older backup of the database is needed",
      ),
    );
  return findings.length > 0 ? findings : [ok(`the ${rows.length} stored files match the database`)];
}

const named = (keys: readonly string[]): string =>
  keys.slice(0, 5).join(", ") + (keys.length > 5 ? " and others" : "");
