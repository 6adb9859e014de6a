import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalPostgres } from "../../../scripts/dev/postgres.ts";
import { prepareCluster } from "../../support/prepared-cluster.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "prepared-cluster-"));
  await chmod(folder, 0o755);
});

afterAll(() => rm(folder, { recursive: true }));

/** Runs statements on a server with its own prepared cluster. Returns the rows of the last one. */
async function onOwnServer(name: string, ...statements: string[]): Promise<unknown[]> {
  const dataDir = path.join(folder, name);
  await prepareCluster(dataDir);
  const postgres = await startLocalPostgres({ dataDir, durable: false });
  const client = new pg.Client(postgres.url);
  await client.connect();
  let rows: unknown[] = [];
  for (const statement of statements) ({ rows } = await client.query(statement));
  await client.end();
  await postgres.stop();
  return rows;
}

const count = "select count(*)::int as countries from countries";

test("concurrent runs each get a migrated database, and no run sees another's writes", async () => {
  const emptied = onOwnServer("one", "truncate countries cascade", count);
  const meanwhile = onOwnServer("two", count);
  expect(await emptied).toEqual([{ countries: 0 }]);
  expect(await meanwhile).toEqual([{ countries: 249 }]);
  expect(await onOwnServer("three", count)).toEqual([{ countries: 249 }]);
});
