import { generateDrizzleJson } from "drizzle-kit/api";
import { sql } from "drizzle-orm";
import { integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseStatements } from "../../../../lib/platform/db/migrations/function-texts.ts";
import { draftStatements } from "../../../../scripts/build/migrations/draft.ts";
import { changeTables, createTables, type Snapshot } from "../../../../scripts/build/migrations/tables.ts";
import { buildWanted } from "../../../../scripts/build/migrations/wanted.ts";
import { emptyDatabase, type TestDatabase } from "../../../support/database.ts";

/* A small substitute for schema/: a library's tables and the functions that they call. */

const title = () => text().notNull();

const books = pgTable("books", { id: integer().primaryKey(), title: title(), shelf: integer() }, (table) => [
  unique("books_shelf_unique").on(table.shelf),
]);

const constraint = `alter table books
  drop constraint books_shelf_unique,
  add constraint books_shelf_unique unique (shelf) deferrable;`;

const tables = generateDrizzleJson({ books });

let empty: { database: TestDatabase; client: pg.Client };
let migrated: { database: TestDatabase; client: pg.Client };

beforeAll(async () => {
  const connect = async (database: TestDatabase) => {
    const client = new pg.Client(database.url);
    await client.connect();
    return { database, client };
  };
  [empty, migrated] = await Promise.all([emptyDatabase().then(connect), emptyDatabase().then(connect)]);
  await migrated.client.query([...(await createTables(tables)), constraint].join("\n"));
});

afterAll(async () => {
  for (const { client, database } of [empty, migrated]) {
    await client.end();
    await database.drop();
  }
});

type Changed = { constraint?: string; functions?: string[]; tables?: Snapshot };

async function draft(changed: Changed): Promise<string[]> {
  const texts = {
    constraints: parseStatements(changed.constraint ?? constraint, "constraints.sql"),
    functions: parseStatements((changed.functions ?? []).join("\n\n"), "shelf.sql"),
  };
  const wantedTables = changed.tables ?? tables;
  const wanted = await buildWanted(empty.client, wantedTables, texts);
  return draftStatements(migrated.client, wanted, await changeTables(tables, wantedTables), texts);
}

/** The table with a column computed by a function. */
const withLoud = () => {
  const loud = text().generatedAlwaysAs(sql.raw("shout(title)"));
  const changed = pgTable(
    "books",
    { id: integer().primaryKey(), title: title(), shelf: integer(), loud },
    (table) => [unique("books_shelf_unique").on(table.shelf)],
  );
  return generateDrizzleJson({ books: changed }, tables.id);
};

const raised =
  "create or replace function raised(said text) returns text language sql immutable as $$\n  select upper(said)\n$$;";
const shout =
  "create or replace function shout(said text) returns text language sql immutable as $$\n  select raised(said)\n$$;";
const addLoud = 'ALTER TABLE "books" ADD COLUMN "loud" text GENERATED ALWAYS AS (shout(title)) STORED;';

describe("the next migration", () => {
  it("is empty without changes", async () => {
    expect(await draft({})).toEqual([]);
  });

  it("is empty if only functions changed, which are applied", async () => {
    expect(await draft({ functions: [raised, shout] })).toEqual([]);
  });

  it("replaces a constraint that Drizzle cannot say", async () => {
    const deferred = constraint.replace("deferrable", "deferrable initially deferred");
    expect(await draft({ constraint: deferred })).toEqual([deferred]);
  });

  it("includes the function that a new column calls, and its callees", async () => {
    expect(await draft({ functions: [shout, raised], tables: withLoud() })).toEqual([raised, shout, addLoud]);
  });

  it("brings no function that the migrations have made", async () => {
    await migrated.client.query(`${raised}\n${shout}`);
    expect(await draft({ functions: [shout, raised], tables: withLoud() })).toEqual([addLoud]);
    await migrated.client.query("drop function shout(text); drop function raised(text)");
  });
});

describe("no migration is written", () => {
  it("if the migrations differ from schema/db, which is named", async () => {
    await migrated.client.query("create index stray on books (title)");
    await expect(draft({})).rejects.toThrow("index stray is created by the migrations");
    await migrated.client.query("drop index stray");
  });

  it("if a statement cannot be run, which is shown", async () => {
    await expect(draft({ tables: withLoud() })).rejects.toThrow(
      /function shout\(text\) does not exist, in\n.*"loud" text GENERATED/s,
    );
  });
});
