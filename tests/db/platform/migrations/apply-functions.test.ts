import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AppliedFunctions,
  applyFunctions,
} from "../../../../lib/platform/db/migrations/apply-functions.ts";
import { parseStatements, readFunctionTexts } from "../../../../lib/platform/db/migrations/function-texts.ts";
import { ownSchema } from "../../../../lib/platform/db/migrations/schema.ts";
import type { Retired } from "../../../../schema/functions/retired.ts";
import { cloneDatabase, emptyDatabase, type TestDatabase } from "../../../support/database.ts";

/* A small substitute for schema/functions: a library's functions in an order that cannot be created. */

const shelf = {
  trigger: `create or replace trigger number_book before insert or update on books
  for each row execute function number_book();`,
  number: `create or replace function number_book() returns trigger language plpgsql as $$
begin
  new.shelf := coalesce(new.shelf, count_books());
  return new;
end $$;`,
  ofView: `create or replace function titles_on(wanted integer) returns setof titles language sql stable as $$
  select * from titles where shelf = wanted
$$;`,
  view: "create or replace view titles as select id, title, shelf from books;",
  count: `-- How many there are.
create or replace function count_books() returns bigint language sql stable as $$
  select count(*) from books
$$;`,
};

let database: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  database = await emptyDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  await client.query("create table books (id integer primary key, title text not null, shelf integer)");
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

/** A developer's changes: texts that replace those above (null: deleted), additions, and the version. */
type Changed = Partial<Record<keyof typeof shelf, string | null>> & {
  also?: string[];
  retired?: Retired[];
  version?: string;
};

async function apply({ also = [], retired = [], version = "1.0.0", ...changed }: Changed = {}) {
  const texts = Object.entries(shelf).map(([part, text]) => {
    const rewritten = changed[part as keyof typeof shelf];
    return rewritten === undefined ? text : rewritten;
  });
  const sql = [...texts.filter((text) => text !== null), ...also].join("\n\n");
  return inTransaction(() =>
    applyFunctions(client, { texts: parseStatements(sql, "shelf.sql"), retired, version }),
  );
}

async function inTransaction(work: () => Promise<AppliedFunctions>): Promise<AppliedFunctions> {
  await client.query("begin");
  try {
    const applied = await work();
    await client.query("commit");
    return applied;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** One of these texts with a part replaced. */
function rewritten(part: keyof typeof shelf, former: string, by: string): string {
  expect(shelf[part]).toContain(former);
  return shelf[part].replace(former, by);
}

const objects = async () =>
  (await client.query("select object from drizzle.applied_functions order by object")).rows.map(
    ({ object }) => object,
  );

const all = [
  "function count_books()",
  "function number_book()",
  "function titles_on(integer)",
  "trigger number_book on books",
  "view titles",
];

describe("texts of functions, views and triggers", () => {
  it("are applied in an order that works, and recorded with their files", async () => {
    expect(await apply()).toEqual({ changes: 5, unlisted: [] });
    expect(await objects()).toEqual(all);
    await client.query("insert into books values (1, 'Emma'), (2, 'Ulysses')");
    expect((await client.query("select title, shelf::int from titles order by id")).rows).toEqual([
      { title: "Emma", shelf: 0 },
      { title: "Ulysses", shelf: 1 },
    ]);
    const { rows } = await client.query("select distinct file from drizzle.applied_functions");
    expect(rows).toEqual([{ file: "shelf.sql" }]);
  });

  it("are not applied again if unchanged, apart from comments", async () => {
    await apply();
    expect(await apply()).toEqual({ changes: 0, unlisted: [] });
    expect(await apply({ count: rewritten("count", "How many", "The number of books") })).toMatchObject({
      changes: 0,
    });
  });

  it("are applied alone if they changed", async () => {
    await apply();
    const before = await definitionsWithout("count_books");
    expect(await apply({ count: rewritten("count", "from books", "from books where shelf > 0") })).toEqual({
      changes: 1,
      unlisted: [],
    });
    expect(await definitionsWithout("count_books")).toEqual(before);
  });

  it("replace a function whose result has other columns", async () => {
    await apply();
    const count = rewritten("count", "returns bigint", "returns numeric");
    expect(await apply({ count })).toEqual({ changes: 1, unlisted: [] });
    expect((await client.query("select pg_typeof(count_books())::text as type")).rows).toEqual([
      { type: "numeric" },
    ]);
  });

  it("replace a view with other columns, and make the functions again that fall with it", async () => {
    await apply();
    expect(await apply({ view: rewritten("view", "id, title, shelf", "shelf, title") })).toEqual({
      changes: 2,
      unlisted: [],
    });
    await client.query("insert into books values (1, 'Emma', 7)");
    expect((await client.query("select * from titles_on(7)")).rows).toEqual([{ shelf: 7, title: "Emma" }]);
  });

  it("of functions that share a name are distinguished by their parameters", async () => {
    const wider =
      "create or replace function count_books(smallest integer) returns bigint language sql as 'select 0';";
    expect(await apply({ also: [wider] })).toMatchObject({ changes: 6 });
    expect(await objects()).toContain("function count_books(integer)");
    expect(await apply({ also: [wider.replace("select 0", "select 1")] })).toEqual({
      changes: 1,
      unlisted: [],
    });
  });
});

async function definitionsWithout(name: string) {
  const { rows } = await client.query(
    "select oid, xmin::text from pg_proc where pronamespace = 'public'::regnamespace and proname <> $1 order by 1",
    [name],
  );
  return rows;
}

describe("a manual edit is undone:", () => {
  it.each([
    [
      "another body",
      "create or replace function count_books() returns bigint language sql as 'select 0::bigint'",
    ],
    ["another volatility", "alter function count_books() volatile"],
    ["a dropped function", "drop function titles_on(integer)"],
    ["another view", "create or replace view titles as select id, upper(title) as title, shelf from books"],
    ["a trigger that was switched off", "alter table books disable trigger number_book"],
    ["a dropped trigger", "drop trigger number_book on books"],
  ])("%s", async (_, statement) => {
    await apply();
    const before = await definitions();
    await client.query(statement);
    expect(await definitions()).not.toEqual(before);
    expect(await apply()).toEqual({ changes: 1, unlisted: [] });
    expect(await definitions()).toEqual(before);
  });
});

async function definitions() {
  const { rows } = await client.query(`
    select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'public'::regnamespace
    union all select pg_get_viewdef(oid) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
    union all select concat(pg_get_triggerdef(oid), tgenabled) from pg_trigger where not tgisinternal
    order by 1`);
  return rows;
}

describe("a function with other parameters", () => {
  const object = "function count_books()";
  const count = shelf.count.replace("count_books()", "count_books(least_shelf integer)");
  const number = shelf.number.replace("count_books()", "count_books(1)");

  it("leaves the former one in its place, which is named until retired.ts lists it", async () => {
    await apply();
    expect(await apply({ count, number })).toEqual({ changes: 2, unlisted: [object] });
    expect(await apply({ count, number })).toEqual({ changes: 0, unlisted: [object] });
    expect(await objects()).toContain(object);
  });

  it("is next to the former one while the version lasts in which it was retired, and alone from the next one on", async () => {
    const retired = [{ object, retiredIn: "1.1.0" }];
    await apply();
    expect(await apply({ count, number, retired, version: "1.1.0" })).toEqual({ changes: 2, unlisted: [] });
    expect(await objects()).toContain(object);
    expect(await apply({ count, number, retired, version: "1.2.0" })).toEqual({ changes: 1, unlisted: [] });
    expect(await objects()).not.toContain(object);
    expect((await client.query("select to_regprocedure('count_books()') as former")).rows).toEqual([
      { former: null },
    ]);
    expect(await apply({ count, number, retired, version: "1.2.0" })).toEqual({ changes: 0, unlisted: [] });
  });
});

it("a trigger, its function and a view that were deleted are dropped if retired.ts names them, and nothing else is", async () => {
  await apply();
  await client.query("create function by_hand() returns integer language sql as 'select 1'");
  const retired = [
    "trigger number_book on books",
    "function number_book()",
    "function titles_on(integer)",
    "view titles",
  ].map((object) => ({ object, retiredIn: "never released" }));
  const left = { trigger: null, number: null, ofView: null, view: null };
  expect(await apply({ ...left, retired })).toEqual({ changes: 4, unlisted: [] });
  expect(await objects()).toEqual(["function count_books()"]);
  expect((await client.query("select by_hand()")).rowCount).toBe(1);
});

describe("nothing is applied, and the place is named,", () => {
  const cases: [string, Changed, string][] = [
    [
      "if a body is wrong",
      { count: rewritten("count", "from books", "from shelves") },
      'shelf.sql:18: relation "shelves" does not exist',
    ],
    [
      "if a view is wrong",
      { view: rewritten("view", "from books", "from shelves") },
      'shelf.sql:14: relation "shelves" does not exist',
    ],
    [
      "if a body is no PL/pgSQL",
      { number: rewritten("number", "return new;", "retrun new;") },
      'shelf.sql:7: syntax error at or near "retrun"',
    ],
    [
      "if a statement is no SQL",
      { trigger: rewritten("trigger", "for each row", "for each\n  rwo") },
      'shelf.sql:3: syntax error at or near "rwo"',
    ],
    [
      "if a function has two texts",
      { also: [shelf.count.replace("from books", "from books where true")] },
      "function count_books() is in schema/functions/shelf.sql:21 as well",
    ],
    [
      "if a function is in two places",
      { also: [shelf.count] },
      "function count_books is in schema/functions/shelf.sql:16 as well",
    ],
  ];

  it.each(cases)("%s", async (_, changed, message) => {
    await apply();
    const before = await definitions();
    const title = rewritten("view", "from books", "from books where true");
    await expect(apply({ view: title, ...changed })).rejects.toThrow(message);
    expect(await definitions()).toEqual(before);
  });
});

describe("the functions of this version", () => {
  it("are in a migrated database, each recorded, and no other is", async () => {
    const clone = await cloneDatabase();
    const { rows } = await inClient(clone, (other) =>
      other.query(`
        select format('function %s', oid::regprocedure) as object from pg_proc
        where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
          and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
        except select object from drizzle.applied_functions`),
    );
    expect(rows).toEqual([]);
    const recorded = await inClient(clone, (other) => other.query("select from drizzle.applied_functions"));
    expect(recorded.rowCount).toBe(readFunctionTexts(ownSchema).length);
    await clone.drop();
  });
});

async function inClient<T>({ url }: TestDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const other = new pg.Client(url);
  await other.connect();
  try {
    return await work(other);
  } finally {
    await other.end();
  }
}
