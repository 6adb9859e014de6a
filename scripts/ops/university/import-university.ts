import type pg from "pg";
import { recomputeProgressTotalsQuery } from "../../../lib/operations/analytics/course-progress-totals.ts";
import { openConnectionWithoutTimeouts } from "../../../lib/platform/db/driver/connect.ts";
import type { OnProgress } from "../progress-bar.ts";
import { batchesOf, type Manifest, readManifest } from "./archive.ts";
import { type Catalog, readCatalog, type Table } from "./catalog.ts";
import { tableOf, targetOf } from "./conditions.ts";
import { type Ids, idsFrom, type Range } from "./ids.ts";
import * as incoming from "./incoming.ts";
import { auditCommand, lastMigration } from "./leaving.ts";
import { matchNamedRows } from "./named-rows-here.ts";
import { type Ownership, ownerships } from "./ownership.ts";
import { findKnownPeople } from "./people-here.ts";
import { type Row, rowHere } from "./rows-here.ts";
import { storeSecrets } from "./secrets.ts";

export type ImportOptions = {
  folder: string;
  /** This deployment's SECRET_KEY, which encrypts imported secrets. */
  secretKey: string;
  /** The key printed by the export; without it, secrets must be entered again. */
  key?: string | undefined;
  onProgress?: OnProgress;
  signal?: AbortSignal;
};

/** The new university's id, the rows imported, and the people with an existing account. */
export type Imported = { university: number; rows: number; known: number };

const rowsAtOnce = 1000;

type Load = ImportOptions & {
  client: pg.Client;
  catalog: Catalog;
  manifest: Manifest;
  ids: Ids;
  ranges: Map<string, Range>;
  single: Map<string, Map<number, number>>;
  report: (name: string, rows: number) => void;
};

/**
 * Imports a university into a database with the same migrations, in batches; an interrupted import resumes.
 * The university stays inactive. Rejects an incomplete folder, a used short code, and addresses whose owner
 * is uncertain.
 */
export async function importUniversity(url: string, options: ImportOptions): Promise<Imported> {
  const client = await openConnectionWithoutTimeouts(url);
  try {
    await client.query("set time zone 'UTC'");
    const manifest = await wholeManifest(client, options.folder);
    await beginOrGoOn(client, manifest, options.folder);
    const load = await beginLoad(client, manifest, options);
    await loadParts(load);
    if (options.signal?.aborted) throw new Error("Stopped. Run the same command to continue");
    return await endLoad(load);
  } finally {
    await client.end();
  }
}

/** A rejected import writes nothing. */
async function beginOrGoOn(client: pg.Client, manifest: Manifest, folder: string): Promise<void> {
  const underWay = await incoming.exportUnderWay(client);
  if (underWay === manifest.export_id) return;
  if (underWay !== undefined)
    throw new Error(
      "Another university's import is not finished here. Continue that import, or remove that university first",
    );
  await refuseTaken(client, manifest);
  await inTransaction(client, async () => {
    await incoming.openIncoming(client, manifest.export_id);
    await findKnownPeople(client, folder, manifest);
  });
}

async function wholeManifest(client: pg.Client, folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (!manifest?.is_whole)
    throw new Error(`${folder} contains no complete university. Write it with npm run university export`);
  if (manifest.migration !== (await lastMigration(client)))
    throw new Error(
      "The two deployments have different migrations. Upgrade both to the same version, and export again",
    );
  return manifest;
}

async function refuseTaken(client: pg.Client, { short_code }: Manifest): Promise<void> {
  const { rowCount } = await client.query("select from universities where short_code = $1", [short_code]);
  if (rowCount) throw new Error(`A university here already has the short code ${short_code}`);
}

async function beginLoad(client: pg.Client, manifest: Manifest, options: ImportOptions): Promise<Load> {
  const catalog = await readCatalog(client);
  await inTransaction(client, async () => {
    for await (const lines of batchesOf(options.folder, manifest, "named", { size: 100_000 }))
      await matchNamedRows(client, lines);
  });
  const ranges = new Map<string, Range>();
  for (const { table } of ownerships) {
    const part = manifest.parts[table];
    if (part && part.rows > 0 && catalog.get(table)?.hasId)
      ranges.set(table, await incoming.rangeFor(client, table, part));
  }
  const single = await incoming.readSingle(client);
  const ids = idsFrom(ranges, single);
  const all = Object.values(manifest.parts).reduce((sum, { rows }) => sum + rows, 1);
  let done = 0;
  const report = (name: string, rows: number) => {
    done += rows;
    options.onProgress?.(name, done, all);
  };
  return { ...options, client, catalog, manifest, ids, ranges, single, report };
}

async function loadParts(load: Load): Promise<void> {
  for (const ownership of ownerships) {
    const table = tableOf(load.catalog, ownership);
    await loadPart(load, table.name, (lines) => insertRows(load, table, ownership, lines));
  }
  for (const { name, column } of await incoming.laterOf(load.client))
    for (let isMore = true; isMore && !load.signal?.aborted; )
      isMore = await inTransaction(load.client, () =>
        withoutTriggers(load, name, () => incoming.setLater(load.client, name, column)),
      );
}

/** Each transaction stores a batch and its progress. */
async function loadPart(load: Load, name: string, put: (lines: string[]) => Promise<void>): Promise<void> {
  const { client, folder, manifest, signal, report } = load;
  const skipped = await incoming.rowsDone(client, name);
  report(name, skipped);
  for await (const lines of batchesOf(folder, manifest, name, { size: rowsAtOnce, skipped })) {
    if (signal?.aborted) return;
    await inTransaction(client, async () => {
      await put(lines);
      await incoming.noteDone(client, name, lines.length);
    });
    report(name, lines.length);
  }
}

async function insertRows(
  load: Load,
  table: Table,
  ownership: Ownership,
  lines: readonly string[],
): Promise<void> {
  const { client, ids } = load;
  const came: Row[] = lines.map((line) => JSON.parse(line));
  const rows = came
    .filter((row) => !isKnown(load, table, row))
    .map((row) => rowHere(row, table, ownership, ids));
  if (table.name === "cache_nodes") await matchPromptVersions(client, rows);
  const later = takeLater(table, ownership, rows);
  await withoutTriggers(load, table.name, () => insert(client, table, ownership, rows));
  if (later.length > 0) await incoming.noteLater(client, later);
  if (ownership.sameBy) await noteSame(load, table.name, ownership.sameBy, came, rows);
}

/** Records the ids of rows that exist already. */
async function noteSame(
  { client, single }: Load,
  table: string,
  sameBy: readonly string[],
  came: readonly Row[],
  rows: readonly Row[],
): Promise<void> {
  const same = sameBy.map((column) => `one.${column} = given.${column}`).join(" and ");
  const { rows: found } = await client.query<{ given: number; id: number }>(
    `select given.id as given, one.id from json_populate_recordset(null::${table}, $1) as given
     join ${table} as one on ${same} where one.id <> given.id`,
    [JSON.stringify(rows)],
  );
  const known = single.get(table) ?? new Map<number, number>();
  single.set(table, known);
  for (const { given, id } of found) {
    const there = came[rows.findIndex((row) => row["id"] === given)]?.["id"] as number;
    known.set(there, id);
    await incoming.noteSingle(client, table, there, id);
  }
}

const isKnown = ({ ranges, ids }: Load, { name }: Table, row: Row): boolean => {
  if (name !== "users") return false;
  const range = ranges.get("users");
  const id = row["id"] as number;
  return range !== undefined && ids.of("users", id) !== id + range.offset;
};

async function insert(
  client: pg.Client,
  table: Table,
  { mayBeThere }: Ownership,
  rows: readonly Row[],
): Promise<void> {
  const columns = table.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name);
  await client.query(
    `insert into ${table.name} (${columns}) overriding system value
     select ${columns} from json_populate_recordset(null::${table.name}, $1) ${mayBeThere ? "on conflict do nothing" : ""}`,
    [JSON.stringify(rows)],
  );
}

/** Stored answers stay in use if a prompt version here has the same text. */
async function matchPromptVersions(client: pg.Client, rows: readonly Row[]): Promise<void> {
  const { rows: known } = await client.query<{ name: string; fingerprint: string; version: number }>(
    `select name, plain_fingerprint as fingerprint, max(version) as version from prompts
     where plain_fingerprint = any ($1) group by 1, 2`,
    [[...new Set(rows.map((row) => row["prompt_fingerprint"]))]],
  );
  const versions = new Map(known.map((one) => [`${one.name} ${one.fingerprint}`, one.version]));
  for (const row of rows)
    row["prompt_version"] =
      versions.get(`${row["prompt_name"]} ${row["prompt_fingerprint"]}`) ?? row["prompt_version"];
}

/** Collects circular and self references, to be set after all rows exist. */
function takeLater(table: Table, ownership: Ownership, rows: readonly Row[]): incoming.Later[] {
  const columns = table.columns.filter(
    (column) => ownership.circular?.includes(column.name) || targetOf(column, ownership) === table.name,
  );
  return rows.flatMap((row) =>
    columns.flatMap(({ name }) => {
      const value = row[name];
      const id = row["id"] as number;
      const isLater = ownership.circular?.includes(name) || (value as number) > id;
      if (typeof value !== "number" || !isLater) return [];
      row[name] = null;
      return [{ name: table.name, id, column: name, value }];
    }),
  );
}

/**
 * Inserts rows without triggers. They are disabled only inside the transaction, so other writers of the table
 * wait for the batch.
 */
async function withoutTriggers<T>(
  { client, catalog }: Load,
  table: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!catalog.get(table)?.hasTriggers) return work();
  await client.query(`alter table ${table} disable trigger user`);
  const result = await work();
  await client.query(`set constraints all immediate; alter table ${table} enable trigger user`);
  return result;
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin; set local lock_timeout = '25s'");
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** Finishes the import: secrets, days to count, and an audit event. */
async function endLoad(load: Load): Promise<Imported> {
  const { client, manifest, folder, ids, key, secretKey } = load;
  const university = ids.of("universities", manifest.university_id) ?? 0;
  const known = (await incoming.readSingle(client)).get("users")?.size ?? 0;
  const rows = Object.values(manifest.parts).reduce((sum, part) => sum + part.rows, 0);
  await inTransaction(client, async () => {
    const here = { university, provider: (id: number) => ids.of("identity_providers", id), secretKey };
    for await (const lines of batchesOf(folder, manifest, "secrets", { size: 10_000 }))
      if (!(await storeSecrets(client, lines, key, here))) await forgetHashes(load);
    await client.query(
      "update scheduled_tasks set begun_at = $1, reached_at = null where name = 'count' and begun_at > $1",
      [manifest.counted_until],
    );
    // Monthly totals are recounted, because days were added.
    await client.query("delete from counted_months");
    await client.query("delete from counted_facts");
    await client.query(
      recomputeProgressTotalsQuery(
        `course_id in (select id from courses where university_id = ${university})`,
      ),
    );
    await auditCommand(client, "university.imported", university, { export_id: manifest.export_id, rows });
    await incoming.closeIncoming(client);
  });
  for (const { table } of ownerships) await client.query(`analyze ${table}`);
  load.report("done", 1);
  return { university, rows, known };
}

/** Hashes with an unknown key match no account. */
async function forgetHashes({ client, ranges }: Load): Promise<void> {
  const range = ranges.get("erased_identifiers");
  if (!range) return;
  await client.query("delete from erased_identifiers where university_id is null and id between $1 and $2", [
    range.least + range.offset,
    range.greatest + range.offset,
  ]);
}
