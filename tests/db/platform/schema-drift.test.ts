import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { readTableCatalog } from "../../../scripts/build/migrations/catalog.ts";
import { compare, describeDifference } from "../../../scripts/build/migrations/compare.ts";
import { readTexts } from "../../../scripts/build/migrations/generate.ts";
import { readTables } from "../../../scripts/build/migrations/tables.ts";
import { buildWanted, type Wanted } from "../../../scripts/build/migrations/wanted.ts";
import { emptyDatabase, type TestDatabase } from "../../support/database.ts";

/*
 * Functions, views and triggers cannot drift: their text is applied
 * (tests/db/platform/migrations/apply-functions.test.ts).
 */

let database: TestDatabase;
let client: pg.Client;
let wanted: Wanted;

beforeAll(async () => {
  database = await emptyDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  wanted = await buildWanted(client, await readTables(), readTexts());
  await migrate(database.url);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

const drift = async (from = wanted) =>
  compare(from.catalog, await readTableCatalog(client)).map(describeDifference);

async function driftAfter(statement: string): Promise<string[]> {
  await client.query("begin");
  try {
    await client.query(statement);
    return await drift();
  } finally {
    await client.query("rollback");
  }
}

describe("a database that the migrations have made", () => {
  it("has the tables that schema/db describes, to the last part", async () => {
    expect(await drift(), 'run "npm run migrations:generate"').toEqual([]);
  });
});

describe("an index that is taken out of schema/db", () => {
  it("is named: the migrations still make it", async () => {
    const tables = await readTables();
    delete tables.tables["public.modules"]?.indexes["modules_root_index"];
    const empty = await emptyDatabase();
    const other = new pg.Client(empty.url);
    await other.connect();
    const without = await buildWanted(other, tables, readTexts());
    expect(await drift(without)).toEqual([
      "index modules_root_index is created by the migrations, but is not in schema/db",
    ]);
    await other.end();
    await empty.drop();
  });
});

describe("the comparison names", () => {
  it.each([
    ["drop index modules_root_index", "index modules_root_index is missing"],
    ["create index further on modules (title)", "index further is created by the migrations"],
    [
      "alter table modules drop constraint modules_depth_limit",
      "constraint modules_depth_limit on modules is missing",
    ],
    ["alter table modules drop column title", "column modules.title is missing"],
    ["alter table modules alter column title drop not null", "column modules.title differs"],
    ["alter table modules alter column title type text", "column modules.title differs"],
    ["alter table modules alter column is_published drop default", "column modules.is_published differs"],
    ["drop table generation_pieces", "table generation_pieces is missing"],
    ["create table further ()", "table further is created by the migrations"],
    ["create sequence further", "sequence further is created by the migrations"],
    ["create type further as enum ('one')", "type further is created by the migrations"],
    [
      "create statistics further on title, course_id from modules",
      "statistics further is created by the migrations",
    ],
    [
      "alter table modules drop constraint modules_course_id_courses_id_fk",
      "constraint modules_course_id_courses_id_fk on modules is missing",
    ],
    [
      `alter table modules drop constraint modules_sibling_order_unique, add constraint modules_sibling_order_unique
         unique nulls not distinct (course_id, parent_module_id, sequence_index)`,
      "constraint modules_sibling_order_unique on modules differs",
    ],
  ])("%s", async (statement, named) => {
    expect((await driftAfter(statement)).join("\n")).toContain(named);
  });
});
