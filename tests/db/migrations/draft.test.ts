import { generateDrizzleJson } from "drizzle-kit/api";
import { sql } from "drizzle-orm";
import { integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseStatements } from "../../../lib/db/migrations/function-texts.ts";
import type { Retired } from "../../../schema/functions/retired.ts";
import { draftStatements } from "../../../scripts/build/migrations/draft.ts";
import { changeTables, createTables, type Snapshot } from "../../../scripts/build/migrations/tables.ts";
import { buildWanted } from "../../../scripts/build/migrations/wanted.ts";
import { emptyDatabase, type TestDatabase } from "../../support/database.ts";

/* A small shelf in place of the whole of schema/: the tables and the functions of a library. */

const title = () => text().notNull();

const books = pgTable("books", { id: integer().primaryKey(), title: title(), shelf: integer() }, (table) => [
  unique("books_shelf_unique").on(table.shelf),
]);

const shelf = {
  constraint: `alter table books
  drop constraint books_shelf_unique,
  add constraint books_shelf_unique unique (shelf) deferrable;`,
  view: "create or replace view titles as select id, title, shelf from books;",
  ofView: `create or replace function titles_on(wanted integer) returns setof titles language sql stable as $$
  select * from titles where shelf = wanted
$$;`,
  count: `-- How many there are.
create or replace function count_books() returns bigint language sql stable as $$
  select count(*) from books
$$;`,
  number: `create or replace function number_book() returns trigger language plpgsql as $$
begin
  new.shelf := coalesce(new.shelf, count_books());
  return new;
end $$;`,
  trigger: `create or replace trigger number_book before insert or update on books
  for each row execute function number_book();`,
};

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
  const { view, count, number, ofView, trigger, constraint } = shelf;
  const creations = [...(await createTables(tables)), constraint, view, ofView, count, number, trigger];
  await migrated.client.query(creations.join("\n"));
});

afterAll(async () => {
  for (const { client, database } of [empty, migrated]) {
    await client.end();
    await database.drop();
  }
});

/** What a developer has changed: texts in place of those of the shelf, or none; others beside them; the tables. */
type Changed = Partial<Record<keyof typeof shelf, string | null>> & {
  also?: string[];
  tables?: Snapshot;
  retired?: Retired[];
  version?: string;
};

async function draft({ also = [], version = "1.0.0", retired = [], ...changed }: Changed): Promise<string[]> {
  const texts = Object.entries(shelf).map(([part, text]) => {
    const rewritten = changed[part as keyof typeof shelf];
    return rewritten === undefined ? text : rewritten;
  });
  const statements = parseStatements(
    [...texts.filter((text) => text !== null), ...also].join("\n\n"),
    "shelf.sql",
  );
  const wantedTables = changed.tables ?? tables;
  const wanted = await buildWanted(empty.client, wantedTables, statements);
  const changes = await changeTables(tables, wantedTables);
  return draftStatements(migrated.client, wanted, changes, { version, retired });
}

/** A text of the shelf with a part of it put differently. */
function rewritten(part: keyof typeof shelf, former: string, by: string): string {
  expect(shelf[part]).toContain(former);
  return shelf[part].replace(former, by);
}

describe("the next migration", () => {
  it("is none when nothing was changed", async () => {
    expect(await draft({})).toEqual([]);
  });

  it("is none when only the comment above a function was changed", async () => {
    expect(await draft({ count: rewritten("count", "How many there are", "The number of books") })).toEqual(
      [],
    );
  });

  it("replaces a function whose body was changed, and nothing else", async () => {
    const count = rewritten("count", "from books", "from books where shelf > 0");
    expect(await draft({ count })).toEqual([count]);
  });

  it("drops a function first when what it answers was changed", async () => {
    const count = rewritten("count", "returns bigint", "returns numeric");
    expect(await draft({ count })).toEqual(["drop function count_books();", count]);
  });

  it("adds a column to the end of a view in its place", async () => {
    const view = rewritten("view", "id, title, shelf", "id, title, shelf, shelf is null as lent");
    expect(await draft({ view })).toEqual([view]);
  });

  it("makes anew what falls with a view that cannot be replaced", async () => {
    const view = rewritten("view", "id, title, shelf", "title, shelf");
    expect(await draft({ view })).toEqual(["drop view titles cascade;", view, shelf.ofView]);
  });

  it("replaces a trigger that was changed", async () => {
    const trigger = rewritten("trigger", "insert or update", "insert");
    expect(await draft({ trigger })).toEqual([trigger]);
  });

  it("drops a trigger and its function when both are gone", async () => {
    expect(await draft({ trigger: null, number: null })).toEqual([
      "drop trigger number_book on books;",
      "drop function number_book();",
    ]);
  });

  it("replaces a constraint that Drizzle cannot say", async () => {
    const constraint = rewritten("constraint", "deferrable", "deferrable initially deferred");
    expect(await draft({ constraint })).toEqual([constraint]);
  });

  it("makes a function before the generated column that calls it", async () => {
    const shout = `create or replace function shout(said text) returns text language sql immutable as $$
  select upper(said)
$$;`;
    const loud = text().generatedAlwaysAs(sql.raw("shout(title)"));
    const changed = pgTable(
      "books",
      { id: integer().primaryKey(), title: title(), shelf: integer(), loud },
      (table) => [unique("books_shelf_unique").on(table.shelf)],
    );
    expect(
      await draft({ also: [shout], tables: generateDrizzleJson({ books: changed }, tables.id) }),
    ).toEqual([
      shout,
      'ALTER TABLE "books" ADD COLUMN "loud" text GENERATED ALWAYS AS (shout(title)) STORED;',
    ]);
  });

  it("replaces a view before the column goes that it showed", async () => {
    const changed = pgTable("books", { id: integer().primaryKey(), shelf: integer() }, (table) => [
      unique("books_shelf_unique").on(table.shelf),
    ]);
    const view = rewritten("view", "id, title, shelf", "id, shelf");
    expect(await draft({ view, tables: generateDrizzleJson({ books: changed }, tables.id) })).toEqual([
      "drop view titles cascade;",
      view,
      'ALTER TABLE "books" DROP COLUMN "title";',
      shelf.ofView,
    ]);
  });
});

describe("a function with other parameters", () => {
  const signature = "count_books()";
  const count = shelf.count.replace("count_books()", "count_books(least_shelf integer default 0)");
  // A call without an argument would fit both.
  const number = shelf.number.replace("count_books()", "count_books(1)");

  it("is refused until the former one is listed as retired", async () => {
    await expect(draft({ count, number })).rejects.toThrow(
      `function ${signature}. List it in schema/functions/retired.ts`,
    );
  });

  it("stands beside the former one while the version lasts that may still call it", async () => {
    const retired = [{ signature, retiredIn: "1.0.0" }];
    expect(await draft({ count, number, retired })).toEqual([count, number]);
  });

  it("stands alone from the next version on", async () => {
    const retired = [{ signature, retiredIn: "1.0.0" }];
    const drafted = await draft({ count, number, retired, version: "1.1.0" });
    expect(drafted).toEqual([`drop function ${signature};`, count, number]);
  });
});

describe("no migration is written", () => {
  it("when the migrations made what no file says, which is named", async () => {
    await migrated.client.query("create index stray on books (title)");
    await expect(draft({})).rejects.toThrow("index stray is made by the migrations");
    await migrated.client.query("drop index stray");
  });

  it("when the body of a function is wrong, which is named", async () => {
    const count = rewritten("count", "from books", "from shelves");
    await expect(draft({ count })).rejects.toThrow(/count_books.*"shelves" does not exist/);
  });

  it("when a statement cannot be run, which is shown", async () => {
    const view = rewritten("view", "from books", "from shelves");
    await expect(draft({ view, ofView: null })).rejects.toThrow(
      /"shelves" does not exist, in\n.*view titles/,
    );
  });

  it("when a function stands in two places", async () => {
    await expect(draft({ also: [shelf.count] })).rejects.toThrow(
      "function count_books stands here a second time",
    );
  });
});
