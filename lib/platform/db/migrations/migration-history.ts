import { readFile } from "node:fs/promises";
import path from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";
import { isNewer } from "./newer-version.ts";
import type { SchemaSource } from "./schema.ts";

/** Each applied migration's hash and time of generation. */
const APPLIED = "drizzle.__drizzle_migrations";

const AFRESH =
  "Set DATABASE_URL to an empty database, or start a local one with `npm run dev -- --fresh`, which keeps the old folder";

/** The database is unchanged. The message says why, and what to do. */
export class CannotMigrate extends Error {
  override name = "CannotMigrate";
}

type Applied = { hash: string; generated: number };

/** Oldest first; empty without the table. */
export async function appliedMigrations(client: pg.Client): Promise<Applied[]> {
  if (!(await isThere(client, APPLIED))) return [];
  const { rows } = await client.query<Applied>(
    `select hash, created_at::float8 as generated from ${APPLIED} order by created_at`,
  );
  return rows;
}

async function isThere(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ table: string | null }>("select to_regclass($1) as table", [table]);
  return rows[0]?.table !== null;
}

const oldest = 15;

/** Must run before any statement that an old server cannot parse. */
export async function ensureServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  const version = rows[0]?.version ?? "0";
  if (Number.parseInt(version, 10) < oldest)
    throw new CannotMigrate(
      `The database is PostgreSQL ${version}. It must be ${oldest} or newer. Back it up, restore it into a newer server, ` +
        "and set DATABASE_URL to that server. A migration cannot upgrade PostgreSQL",
    );
}

export async function recordAppliedMigration(client: pg.Client, { hash, generated }: Applied): Promise<void> {
  await client.query(`
    create schema if not exists drizzle;
    create table if not exists ${APPLIED} (id serial primary key, hash text not null, created_at bigint)`);
  await client.query(`insert into ${APPLIED} (hash, created_at) values ($1, $2)`, [hash, generated]);
}

/** Rejects migrations that are older than the first, changed, unknown, or from a newer version. */
export async function ensureMigrationHistoryMatches(
  client: pg.Client,
  applied: Applied[],
  schema: SchemaSource,
): Promise<void> {
  const known = await migrationsOf(schema.migrations);
  const [first, newest] = [Math.min(...known.keys()), Math.max(...known.keys())];
  for (const { hash, generated } of applied) {
    const migration = known.get(generated);
    if (generated > newest) throw new CannotMigrate(ofNewerVersion(schema.version));
    if (generated < first)
      throw new CannotMigrate(
        `The database was created before version 1.0.0, and cannot be migrated. ${AFRESH}`,
      );
    if (!migration)
      throw new CannotMigrate(
        "The database has migrations that this version does not have. Nothing was changed. Run the version that " +
          `created it. Otherwise: ${AFRESH}`,
      );
    if (migration.hash !== hash)
      throw new CannotMigrate(
        `The migration ${migration.tag} was edited after it had been applied to this database. Nothing was changed. ` +
          `Restore its text, and write the change as a new migration. Otherwise: ${AFRESH}`,
      );
  }
  const newer = (await appliedVersions(client)).find((version) => isNewer(version, schema.version));
  if (newer) throw new CannotMigrate(ofNewerVersion(schema.version, newer));
}

const ofNewerVersion = (own: string, newer?: string) =>
  `The database was migrated by a newer version${newer ? ` (${newer})` : ""} than this one (${own}). Nothing was ` +
  "changed. Migrate it with that version or a later one. Servers of this version continue to work";

/** Versions that applied their functions, with the hash of all texts. */
const VERSIONS = "drizzle.applied_versions";

export async function hasAppliedFunctions(client: pg.Client, functions: string): Promise<boolean> {
  if (!(await isThere(client, VERSIONS))) return false;
  const { rowCount } = await client.query(`select from ${VERSIONS} where functions = $1`, [functions]);
  return rowCount !== 0;
}

async function appliedVersions(client: pg.Client): Promise<string[]> {
  if (!(await isThere(client, VERSIONS))) return [];
  const { rows } = await client.query<{ version: string }>(`select distinct version from ${VERSIONS}`);
  return rows.map(({ version }) => version);
}

export async function recordAppliedFunctionsVersion(
  client: pg.Client,
  functions: string,
  version: string,
): Promise<void> {
  await client.query(`
    create table if not exists ${VERSIONS}
      (functions text, version text, applied_at timestamptz not null default now(), primary key (functions, version))`);
  await client.query(`insert into ${VERSIONS} (functions, version) values ($1, $2) on conflict do nothing`, [
    functions,
    version,
  ]);
}

/** Tables of extensions are allowed. */
export async function ensureNoForeignTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by relname limit 1`);
  const [foreign] = rows;
  if (foreign)
    throw new CannotMigrate(
      `The database has tables of another application, such as ${foreign.name}. Nothing was changed. ` +
        "Set DATABASE_URL to an empty database",
    );
}

async function migrationsOf(folder: string): Promise<Map<number, { tag: string; hash: string }>> {
  const journal: { entries: { tag: string }[] } = JSON.parse(
    await readFile(path.join(folder, "meta/_journal.json"), "utf8"),
  );
  const files = readMigrationFiles({ migrationsFolder: folder });
  return new Map(
    files.map(({ folderMillis, hash }, at) => [folderMillis, { tag: journal.entries[at]?.tag ?? "", hash }]),
  );
}
