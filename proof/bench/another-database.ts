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
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}
