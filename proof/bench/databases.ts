import pg from "pg";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";

export async function createMigratedDatabase(url: string, name: string): Promise<string> {
  const further = await createEmptyDatabase(url, name);
  await migrate(further);
  return further;
}

export async function createEmptyDatabase(url: string, name: string): Promise<string> {
  await runStatementInDatabase(url, `create database ${name}`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/**
 * A database that is loaded once and reused if the server's folder stays. It has a temporary name until
 * complete, so an interrupted load starts over.
 */
export async function ensureLoadedDatabase(
  serverUrl: string,
  name: string,
  load: (url: string) => Promise<unknown>,
): Promise<string> {
  const found = await runStatementInDatabase(serverUrl, `select from pg_database where datname = '${name}'`);
  if (found.length === 0) {
    await runStatementInDatabase(serverUrl, `drop database if exists ${name}_loading with (force)`);
    await load(await createMigratedDatabase(serverUrl, `${name}_loading`));
    await runStatementInDatabase(serverUrl, `alter database ${name}_loading rename to ${name}`);
  }
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

export async function copyDatabase(url: string, from: string, name: string): Promise<string> {
  await runStatementInDatabase(url, `drop database if exists ${name} with (force)`);
  await runStatementInDatabase(url, `create database ${name} template ${from} strategy file_copy`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Runs a statement on its own connection. */
export async function runStatementInDatabase<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    // Copying ten years takes minutes.
    await client.query("set statement_timeout = 0");
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
