import pg from "pg";
import { migrate } from "../../lib/db/migrations/migrate.ts";

/** A migrated database beside the stage's own, on the same server. */
export async function createAnotherDatabase(url: string, name: string): Promise<string> {
  const further = await createEmptyDatabase(url, name);
  await migrate(further);
  return further;
}

/** The same with nothing in it. */
export async function createEmptyDatabase(url: string, name: string): Promise<string> {
  await inDatabase(url, `create database ${name}`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/**
 * A database that is loaded once and found again where the server's folder is kept: under another name until it is whole,
 * since a load that was broken off is begun anew.
 */
export async function createLoadedDatabase(
  serverUrl: string,
  name: string,
  load: (url: string) => Promise<unknown>,
): Promise<string> {
  const found = await inDatabase(serverUrl, `select from pg_database where datname = '${name}'`);
  if (found.length === 0) {
    await inDatabase(serverUrl, `drop database if exists ${name}_loading with (force)`);
    await load(await createAnotherDatabase(serverUrl, `${name}_loading`));
    await inDatabase(serverUrl, `alter database ${name}_loading rename to ${name}`);
  }
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/** A copy of a database that nobody is connected to. */
export async function copyDatabase(url: string, from: string, name: string): Promise<string> {
  await inDatabase(url, `drop database if exists ${name} with (force)`);
  await inDatabase(url, `create database ${name} template ${from} strategy file_copy`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Runs a statement on a connection of its own. */
export async function inDatabase<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    // A copy of ten years takes minutes.
    await client.query("set statement_timeout = 0");
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
