import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { retired } from "../../schema/functions/retired.ts";
import { readCatalog } from "../../scripts/build/migrations/catalog.ts";
import { describeDifference } from "../../scripts/build/migrations/compare.ts";
import { differencesOf } from "../../scripts/build/migrations/draft.ts";
import { readStatements } from "../../scripts/build/migrations/statements.ts";
import { readTables, type Snapshot } from "../../scripts/build/migrations/tables.ts";
import { buildWanted, type Wanted } from "../../scripts/build/migrations/wanted.ts";
import { cloneDatabase, emptyDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let client: pg.Client;
let wanted: Wanted;

beforeAll(async () => {
  wanted = await wantedFrom(await readTables());
  database = await cloneDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function wantedFrom(tables: Snapshot): Promise<Wanted> {
  const empty = await emptyDatabase();
  const connection = new pg.Client(empty.url);
  await connection.connect();
  try {
    return await buildWanted(connection, tables, await readStatements());
  } finally {
    await connection.end();
    await empty.drop();
  }
}

const drift = async () =>
  differencesOf(wanted, await readCatalog(client), packageJson).map(describeDifference);

/** What drifts when someone has run a statement by hand. */
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
  it("is the one that schema/db and schema/functions describe, to the last part", async () => {
    expect(await drift(), 'run "npm run migrations:generate"').toEqual([]);
  });

  it("has every retired function still, so that the list names none in vain", async () => {
    const found = await readCatalog(client);
    for (const { signature } of retired) expect([...found.keys()]).toContain(`function ${signature}`);
  });
});

describe("an index that is taken out of schema/db", () => {
  it("is named: the migrations still make it", async () => {
    const tables = await readTables();
    delete tables.tables["public.modules"]?.indexes["modules_root_index"];
    const without = await wantedFrom(tables);
    const left = differencesOf(without, await readCatalog(client), packageJson).map(describeDifference);
    expect(left).toEqual([
      "index modules_root_index is made by the migrations, and stands nowhere in schema/",
    ]);
  });
});

describe("the comparison names", () => {
  it.each([
    ["drop index modules_root_index", "index modules_root_index is missing"],
    ["create index further on modules (title)", "index further is made by the migrations"],
    ["drop function utc_midnight(date) cascade", "function utc_midnight(date) is missing"],
    [
      "create function further() returns trigger language plpgsql as 'begin end'",
      "stands nowhere in schema/",
    ],
    [
      "drop trigger note_stale_course_progress on user_module_progress",
      "trigger note_stale_course_progress on user_module_progress is missing",
    ],
    [
      "alter table modules disable trigger note_stale_outlines",
      "trigger note_stale_outlines on modules differs",
    ],
    ["drop view prompt_links cascade", "view prompt_links is missing"],
    [
      "alter table modules drop constraint modules_depth_limit",
      "constraint modules_depth_limit on modules is missing",
    ],
    ["alter table modules drop column title", "column modules.title is missing"],
    ["alter table modules alter column title drop not null", "column modules.title differs"],
    ["alter table modules alter column title type text", "column modules.title differs"],
    ["alter table modules alter column is_published drop default", "column modules.is_published differs"],
    ["drop table generation_pieces", "table generation_pieces is missing"],
    ["create table further ()", "table further is made by the migrations"],
    ["create sequence further", "sequence further is made by the migrations"],
    ["create type further as enum ('one')", "type further is made by the migrations"],
    [
      "create statistics further on title, course_id from modules",
      "statistics further is made by the migrations",
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
    [
      "create or replace function utc_day(moment timestamptz) returns date language sql as 'select null::date'",
      "function utc_day(timestamp with time zone) differs",
    ],
  ])("%s", async (statement, named) => {
    expect((await driftAfter(statement)).join("\n")).toContain(named);
  });
});
