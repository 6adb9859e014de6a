import pg from "pg";
import { migrate } from "../../lib/db/migrations/migrate.ts";

/** A migrated database beside the stage's own, on the same server. */
export async function createAnotherDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const further = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  await migrate(further);
  return further;
}
