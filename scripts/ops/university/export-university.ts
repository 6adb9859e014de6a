import { randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import { openConnectionWithoutTimeouts } from "../../../lib/platform/db/driver/connect.ts";
import type { EncryptionSecrets } from "../../../lib/platform/secrets/encryption.ts";
import type { OnProgress } from "../progress-bar.ts";
import { appendLines, emptyPart, type Manifest, type Part, readManifest, writeManifest } from "./archive.ts";
import { type Catalog, readCatalog } from "./catalog.ts";
import { PEOPLE, tableOf, takenColumns, takenWhere } from "./conditions.ts";
import { auditCommand, findLeaving, type Leaving, lastMigration, refuseActive } from "./leaving.ts";
import { namedRows } from "./named-rows.ts";
import { type Ownership, ownerships } from "./ownership.ts";
import { sealedSecrets } from "./secrets.ts";
import { nextWindow } from "./windows.ts";

export type ExportOptions = {
  shortCode: string;
  folder: string;
  secrets: EncryptionSecrets;
  onProgress?: OnProgress;
  signal?: AbortSignal;
};

/** Number of rows, and the key of encrypted secrets, if any; no file contains it. */
export type Exported = { rows: number; key: string | undefined };

/**
 * Exports a university with its people into a folder, in batches per table, for an import elsewhere. An
 * interrupted export resumes in the same folder. Rejects an active university, a running account erasure, and
 * a folder with other content.
 */
export async function exportUniversity(url: string, options: ExportOptions): Promise<Exported> {
  const client = await openConnectionWithoutTimeouts(url);
  try {
    await client.query("set time zone 'UTC'");
    const university = await findLeaving(client, options.shortCode);
    refuseActive(university);
    await findPeople(client, university.id);
    await refuseErasures(client);
    const manifest = await manifestOf(client, university, options.folder);
    if (manifest.is_whole) throw new Error(`${options.folder} already contains the complete university`);
    await writeManifest(options.folder, manifest);
    const key = await writeParts(client, university, manifest, options);
    if (options.signal?.aborted) throw new Error("Stopped. Run the same command to continue");
    manifest.is_whole = true;
    await writeManifest(options.folder, manifest);
    const rows = Object.values(manifest.parts).reduce((sum, part) => sum + part.rows, 0);
    await auditCommand(client, "university.exported", university.id, { export_id: manifest.export_id, rows });
    return { rows, key };
  } finally {
    await client.end();
  }
}

/** Selects the people: members, past learners of its courses, and their former accounts. */
async function findPeople(client: pg.Client, university: number): Promise<void> {
  await client.query(`create temp table ${PEOPLE} (id integer primary key)`);
  await client.query(`
    insert into ${PEOPLE}
    select user_id from university_members where university_id = ${university}
    union select user_id from enrollments where university_id = ${university}
    union select user_id from sourced_people where university_id = ${university}`);
  await client.query(`
    insert into ${PEOPLE} select former_user_id from former_accounts join ${PEOPLE} on id = user_id
    on conflict do nothing`);
  await client.query(`analyze ${PEOPLE}`);
}

async function refuseErasures(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from erasures where user_id in (select id from ${PEOPLE})`,
  );
  const count = rows[0]?.count ?? 0;
  if (count > 0)
    throw new Error(
      `${count} of its people are being erased. Export it when that is finished, within an hour`,
    );
}

/** The manifest of a resumed export, or a new one. */
async function manifestOf(client: pg.Client, university: Leaving, folder: string): Promise<Manifest> {
  const migration = await lastMigration(client);
  const former = await readManifest(folder);
  if (former) {
    if (former.short_code !== university.short_code || former.migration !== migration)
      throw new Error(`${folder} contains another export. Name a new folder`);
    return former;
  }
  const { rows } = await client.query<{ counted: string | null }>(
    "select daily_aggregates_counted_until() as counted",
  );
  return {
    format: 1,
    export_id: randomUUID(),
    short_code: university.short_code,
    university_id: university.id,
    migration,
    begun_at: new Date().toISOString(),
    counted_until: new Date(rows[0]?.counted ?? 0).toISOString(),
    parts: {},
    is_whole: false,
  };
}

/** Batches of a part: lines, their last id, and the progress. */
type Filling = AsyncIterable<{ lines: string[]; doneTo: number; share?: number }>;

async function writeParts(
  client: pg.Client,
  university: Leaving,
  manifest: Manifest,
  { folder, secrets, onProgress = () => {}, signal }: ExportOptions,
): Promise<string | undefined> {
  const catalog = await readCatalog(client);
  const all = ownerships.length + 2;
  const write = async (name: string, number: number, fill: (part: Part) => Filling) => {
    manifest.parts[name] ??= emptyPart();
    const part = manifest.parts[name];
    if (part.isWhole || signal?.aborted) return;
    for await (const { lines, doneTo, share = 0 } of fill(part)) {
      if (lines.length > 0 || part.bytes === 0) await appendLines(folder, name, part, lines);
      part.doneTo = doneTo;
      await writeManifest(folder, manifest);
      onProgress(name, number + share, all);
      if (signal?.aborted) return;
    }
    part.isWhole = true;
    await writeManifest(folder, manifest);
  };
  await write("named", 0, () => once(namedRows(client, university.id)));
  for (const [number, ownership] of ownerships.entries())
    await write(ownership.table, number + 1, (part) =>
      rowsOf(client, catalog, ownership, university.id, part),
    );
  const key = randomBytes(32).toString("base64url");
  let sealed: string[] = [];
  await write("secrets", all - 1, () =>
    once(
      sealedSecrets(client, university.id, secrets, key).then((lines) => {
        sealed = lines;
        return lines;
      }),
    ),
  );
  onProgress("done", all, all);
  return sealed.length > 0 ? key : undefined;
}

async function* once(lines: Promise<string[]>): Filling {
  yield { lines: await lines, doneTo: 0 };
}

async function* rowsOf(
  client: pg.Client,
  catalog: Catalog,
  ownership: Ownership,
  university: number,
  part: Part,
): Filling {
  const table = tableOf(catalog, ownership);
  const columns = takenColumns(table, ownership, university);
  const where = takenWhere(ownership, university);
  if (table.hasId) yield* alongIds(client, { table: table.name, columns, where }, part);
  else {
    // A table without an id cannot resume: it starts over.
    Object.assign(part, emptyPart());
    yield* alongCursor(
      client,
      `select row_to_json(one)::text as line from (
      select ${columns} from ${table.name} where ${where}) as one`,
    );
  }
}

type Source = { table: string; columns: string; where: string };

/** By id ranges, so each statement reads a bounded number of rows. */
async function* alongIds(client: pg.Client, { table, columns, where }: Source, part: Part): Filling {
  const { rows } = await client.query<{ least: number; greatest: number }>(
    `select coalesce(min(id), 0)::float8 as least, coalesce(max(id), 0)::float8 as greatest from ${table}`,
  );
  const { least = 0, greatest = 0 } = rows[0] ?? {};
  let width = nextWindow();
  for (let from = Math.max(part.doneTo, least - 1); from < greatest; ) {
    const to = Math.min(from + width, greatest);
    const found = await client.query<{ id: number; line: string }>(`
      select id::float8 as id, row_to_json(one)::text as line from (
        select ${columns} from ${table} where id > ${from} and id <= ${to} and (${where}) order by id) as one`);
    part.least ||= found.rows[0]?.id ?? 0;
    part.greatest = found.rows.at(-1)?.id ?? part.greatest;
    yield { lines: found.rows.map(({ line }) => line), doneTo: to, share: to / greatest };
    from = to;
    width = nextWindow(width, found.rows.length);
  }
  if (part.bytes === 0) yield { lines: [], doneTo: greatest };
}

const fetched = 2000;

/** By one statement with a cursor. */
export async function* alongCursor(client: pg.Client, statement: string): Filling {
  await client.query("begin transaction isolation level repeatable read read only");
  try {
    await client.query(`declare walk no scroll cursor for ${statement}`);
    for (let first = true; ; first = false) {
      const { rows } = await client.query<{ line: string }>(`fetch ${fetched} from walk`);
      if (rows.length > 0 || first) yield { lines: rows.map(({ line }) => line), doneTo: 0 };
      if (rows.length < fetched) return;
    }
  } finally {
    await client.query("rollback");
  }
}
