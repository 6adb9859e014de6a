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
