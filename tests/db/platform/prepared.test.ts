import { type SQL, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Db } from "../../../lib/platform/db/client.ts";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { runWithFollowingCheck } from "../../../lib/platform/db/driver/pipelined-batch.ts";
import { createStatementNames } from "../../../lib/platform/db/driver/prepared.ts";
import { isDatabaseUnavailable } from "../../../lib/platform/db/unavailable.ts";
import { cloneDatabase, neonProxyAddress, type TestDatabase } from "../../support/database.ts";

let clone: TestDatabase;
let database: DatabaseHandles;

const drivers = ["pg", "neon"] as const;

/** One connection, to reuse its prepared statements. */
async function open(driver: "pg" | "neon", preparedStatements = true): Promise<DatabaseHandles> {
  const neonProxy = neonProxyAddress(driver);
  return await connectDatabase({
    url: clone.url,
    max: 1,
    preparedStatements,
    ...(neonProxy && { neonProxy }),
  });
}

beforeEach(async () => {
  clone = await cloneDatabase();
  await clone.run("create table things (id int generated always as identity, kind int)");
});

afterEach(async () => {
  await database.close();
  await clone.drop();
});

const read = sql`select * from things where kind = ${1}`;
const write = sql`insert into things (kind) values (${1}) returning *`;

async function repeat(db: Db, statement: SQL): Promise<void> {
  for (let time = 0; time < 3; time += 1) await db.execute(statement);
}

const prepared = async (db: Db) => {
  const { rows } = await db.execute<{ statement: string }>(sql`select statement from pg_prepared_statements`);
  return rows.map(({ statement }) => statement);
};

const written = async () => (await clone.run("select from things")).length;

describe("repeated statements", () => {
  test.each(drivers)("are prepared once for each connection, through %s", async (driver) => {
    database = await open(driver);
    await repeat(database.db, read);
    await repeat(database.db, write);
    expect(await prepared(database.db)).toEqual([
      "select * from things where kind = $1",
      "insert into things (kind) values ($1) returning *",
    ]);
  });

  test.each(drivers)("are prepared within a transaction too, through %s", async (driver) => {
    database = await open(driver);
    await database.db.transaction(async (tx) => {
      await repeat(tx as unknown as Db, read);
      expect(await prepared(tx as unknown as Db)).toEqual(["select * from things where kind = $1"]);
    });
  });

  test.each(drivers)("are not prepared if that is disabled, through %s", async (driver) => {
    database = await open(driver, false);
    await repeat(database.db, read);
    expect(await prepared(database.db)).toEqual([]);
    await database.db.transaction(async (tx) => {
      await repeat(tx as unknown as Db, read);
      expect(await prepared(tx as unknown as Db)).toEqual([]);
    });
  });

  test.each(drivers)("are prepared together with their companions, through %s", async (driver) => {
    database = await open(driver);
    const { db } = database;
    for (let time = 0; time < 3; time += 1)
      await runWithFollowingCheck(
        () => db.execute(read),
        () => db.execute(write),
      );
    expect(await prepared(db)).toHaveLength(2);
  });
});

/** Events that invalidate a prepared statement or its plan. */
const losses: [string, (db: Db) => Promise<unknown>][] = [
  ["whose rows have another shape since", () => clone.run("alter table things add column name text")],
  ["that its connection has lost", (db) => db.execute(sql`deallocate all`)],
];

const losing = drivers.flatMap((driver) => losses.map(([what, lose]) => [what, driver, lose] as const));

describe.each(losing)("a statement %s, through %s,", (_, driver, lose) => {
  beforeEach(async () => {
    database = await open(driver);
    await repeat(database.db, read);
    await repeat(database.db, write);
    await lose(database.db);
  });

  test("is sent again, and a write is done once", async () => {
    expect((await database.db.execute(read)).rowCount).toBe(3);
    for (let time = 0; time < 2; time += 1) await database.db.execute(write);
    expect(await written()).toBe(5);
  });

  test("is an error within a transaction, whose retry succeeds", async () => {
    const transaction = () => database.db.transaction((tx) => tx.execute(write));
    expect(isDatabaseUnavailable(await transaction().catch((error: unknown) => error))).toBe(true);
    await transaction();
    expect(await written()).toBe(4);
  });
});

test("a statement with a name that is taken on the connection is sent again, and executed once", async () => {
  database = await open("pg");
  const names = createStatementNames();
  const text = "insert into things (kind) values ($1) returning *";
  names.of(text);
  await database.db.execute(sql.raw(`prepare "${names.of(text)}" as select 1`));
  await repeat(database.db, write);
  expect(await written()).toBe(3);
});
