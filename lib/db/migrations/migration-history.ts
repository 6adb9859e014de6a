import { readFile } from "node:fs/promises";
import path from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";

/** The table in which Drizzle keeps what was applied: the hash of each migration, and the moment it was generated. */
const APPLIED = "drizzle.__drizzle_migrations";

const ANEW =
  "A database of development is made anew when its folder (DATA_DIR, .data by default) is removed.";

/** A database that is left as it is: the message says why, and what to do. */
export class CannotMigrate extends Error {
  override name = "CannotMigrate";
}

type Applied = { hash: string; generated: number };

/** The migrations that a database has, oldest first; none where the table is not there yet. */
export async function appliedMigrations(client: pg.Client): Promise<Applied[]> {
  const found = await client.query<{ table: string | null }>("select to_regclass($1) as table", [APPLIED]);
  if (!found.rows[0]?.table) return [];
  const { rows } = await client.query<Applied>(
    `select hash, created_at::float8 as generated from ${APPLIED} order by created_at`,
  );
  return rows;
}

/** The oldest PostgreSQL on which the service runs. */
const oldest = 15;

/** Refuses a server that is too old, before any statement that it would not understand. */
export async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  const version = rows[0]?.version ?? "0";
  if (Number.parseInt(version, 10) < oldest)
    throw new CannotMigrate(
      `The database is PostgreSQL ${version}, and must be ${oldest} or newer. Back it up, restore it into a newer server, ` +
        "and put the address of that one into DATABASE_URL: no migration helps here",
    );
}

/** Writes down that a migration was applied, as Drizzle does. */
export async function noteMigration(client: pg.Client, { hash, generated }: Applied): Promise<void> {
  await client.query(`
    create schema if not exists drizzle;
    create table if not exists ${APPLIED} (id serial primary key, hash text not null, created_at bigint)`);
  await client.query(`insert into ${APPLIED} (hash, created_at) values ($1, $2)`, [hash, generated]);
}

/**
 * Refuses a database whose migrations are not those of the folder: one was changed since it was applied, or was never
 * there. What is newer than all of the folder was applied by a newer version, and does no harm.
 */
export async function checkHistory(applied: Applied[], folder: string): Promise<void> {
  const known = await migrationsOf(folder);
  const newest = Math.max(...known.keys());
  for (const { hash, generated } of applied) {
    if (generated > newest) return;
    const migration = known.get(generated);
    if (!migration)
      throw new CannotMigrate(
        "The database was made by migrations that this version does not have, and is left as it is: no migration helps " +
          `here. Run the version that made it, or put another database into DATABASE_URL. ${ANEW}`,
      );
    if (migration.hash !== hash)
      throw new CannotMigrate(
        `The migration ${migration.tag} was changed after it had been applied to this database, ` +
          `which is left as it is. Restore its text, and make the change in a new migration. ${ANEW}`,
      );
  }
}

/** Refuses a database on which something else works: it has tables, those of its extensions apart. */
export async function checkOurs(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by relname limit 1`);
  const [foreign] = rows;
  if (foreign)
    throw new CannotMigrate(
      `The database holds tables of something else, such as ${foreign.name}, and is left as it is: ` +
        "name one that is empty in DATABASE_URL",
    );
}

/** The migrations of a folder, by the moment at which each was generated. */
async function migrationsOf(folder: string): Promise<Map<number, { tag: string; hash: string }>> {
  const journal: { entries: { tag: string }[] } = JSON.parse(
    await readFile(path.join(folder, "meta/_journal.json"), "utf8"),
  );
  const files = readMigrationFiles({ migrationsFolder: folder });
  return new Map(
    files.map(({ folderMillis, hash }, at) => [folderMillis, { tag: journal.entries[at]?.tag ?? "", hash }]),
  );
}
