import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../../lib/db/migrate.ts";
import type { Retired } from "../../../schema/functions/retired.ts";
import { readCatalog } from "../../../scripts/migrations/catalog.ts";
import { differencesOf, draftStatements } from "../../../scripts/migrations/draft.ts";
import { addMigration, migrationsFolder } from "../../../scripts/migrations/folder.ts";
import { readStatements, type Statement } from "../../../scripts/migrations/statements.ts";
import { changeTables, readTables, type Snapshot } from "../../../scripts/migrations/tables.ts";
import { buildWanted } from "../../../scripts/migrations/wanted.ts";
import { cloneDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";

type Connected = { database: TestDatabase; client: pg.Client };

let empty: Connected;
let migrated: Connected;
let tables: Snapshot;
let statements: Statement[];

const connect = async (database: TestDatabase): Promise<Connected> => {
  const client = new pg.Client(database.url);
  await client.connect();
  return { database, client };
};

beforeAll(async () => {
  [empty, migrated] = await Promise.all([emptyDatabase().then(connect), cloneDatabase().then(connect)]);
  [tables, statements] = await Promise.all([readTables(), readStatements()]);
});

afterAll(async () => {
  for (const { client, database } of [empty, migrated]) {
    await client.end();
    await database.drop();
  }
});

/** What a developer has changed in schema/. */
type Changed = { statements?: Statement[]; tables?: Snapshot; retired?: Retired[]; version?: string };

async function draft(changed: Changed): Promise<string[]> {
  const wanted = await buildWanted(empty.client, changed.tables ?? tables, changed.statements ?? statements);
  return draftStatements(migrated.client, wanted, await changeTables(tables, changed.tables ?? tables), {
    version: changed.version ?? "1.0.0",
    retired: changed.retired ?? [],
  });
}

/** The statements of schema/ with one of them rewritten. */
function rewrite(object: string, change: (text: string) => string): { all: Statement[]; text: string } {
  const former = statements.find(({ makes, name }) => `${makes} ${name}` === object);
  if (!former) throw new Error(`There is no ${object}`);
  const text = change(former.text);
  expect(text).not.toBe(former.text);
  return { all: statements.map((one) => (one === former ? { ...one, text } : one)), text };
}

const without = (...objects: string[]) =>
  statements.filter(({ makes, name }) => !objects.includes(`${makes} ${name}`));

const added = (makes: Statement["makes"], name: string, text: string): Statement => ({
  ...{ makes, name, text },
  file: "added.sql",
});

/** The first line of each statement, without the comment above it. */
const heads = (drafted: string[]) => drafted.map((text) => text.replace(/^(--.*\n)+/, "").split("\n")[0]);

describe("the next migration", () => {
  it("is none when nothing was changed", async () => {
    expect(await draft({})).toEqual([]);
  });

  it("replaces a function whose body was changed, and nothing else", async () => {
    const { all, text } = rewrite("function utc_day", (former) => former.replace("'UTC'", "'Europe/London'"));
    expect(await draft({ statements: all })).toEqual([text]);
  });

  it("drops a function first when what it answers was changed", async () => {
    const { all, text } = rewrite("function is_full", (former) =>
      former
        .replace("returns boolean", "returns text")
        .replace("select coalesce(", "select 'yes' where coalesce("),
    );
    expect(await draft({ statements: all })).toEqual(["drop function is_full(course_offerings);", text]);
  });

  it("adds a column to the end of a view in its place", async () => {
    const { all, text } = rewrite("view prompt_links", (former) =>
      former.replace(" as child_id", " as child_id, 1 as one"),
    );
    expect(await draft({ statements: all })).toEqual([text]);
  });

  it("makes anew what falls with a view that cannot be replaced", async () => {
    const { all } = rewrite("view prompt_versions", (former) =>
      former.replace("tags, commit_message,", "commit_message,"),
    );
    expect(heads(await draft({ statements: all })).toSorted()).toEqual([
      "create or replace function create_prompt_version(",
      "create or replace function set_prompt_labels(",
      "create or replace view prompt_versions as",
      "drop view prompt_versions cascade;",
    ]);
  });

  it("replaces a trigger that was changed", async () => {
    const { all, text } = rewrite("trigger note_outline on modules", (former) =>
      former.replace("insert or ", ""),
    );
    expect(await draft({ statements: all })).toEqual([text]);
  });

  it("drops a trigger and its function when both are gone", async () => {
    const left = without("trigger note_outline on modules", "function note_outline");
    expect(await draft({ statements: left })).toEqual([
      "drop trigger note_outline on modules;",
      "drop function note_outline();",
    ]);
  });

  it("replaces a constraint that Drizzle cannot say", async () => {
    const { all, text } = rewrite("constraint content_items_order_unique on content_items", (former) =>
      former.replace("deferrable", "deferrable initially deferred"),
    );
    expect(await draft({ statements: all })).toEqual([text]);
  });

  it("makes a function before the generated column that calls it", async () => {
    const changed = structuredClone(tables);
    Object.assign(changed.tables["public.modules"]?.columns ?? {}, {
      shout: {
        ...{ name: "shout", type: "text", primaryKey: false, notNull: false },
        generated: { as: "shout(title)", type: "stored" },
      },
    });
    const shout =
      "create or replace function shout(title text) returns text language sql immutable return upper(title);";
    const all = [...statements, added("function", "shout", shout)];
    expect(heads(await draft({ statements: all, tables: changed }))).toEqual([
      shout,
      'ALTER TABLE "modules" ADD COLUMN "shout" text GENERATED ALWAYS AS (shout(title)) STORED;',
    ]);
  });

  it("replaces a view before the column goes that it showed", async () => {
    const changed = structuredClone(tables);
    delete changed.tables["public.prompts"]?.columns["config"];
    const { all } = rewrite("view prompt_versions", (former) => former.replace("prompt, config,", "prompt,"));
    const drafted = heads(await draft({ statements: all, tables: changed }));
    const drop = 'ALTER TABLE "prompts" DROP COLUMN "config";';
    expect(drafted.indexOf("create or replace view prompt_versions as")).toBeGreaterThan(-1);
    expect(drafted.indexOf(drop)).toBeGreaterThan(
      drafted.indexOf("create or replace view prompt_versions as"),
    );
  });
});

describe("a function with other parameters", () => {
  const signature = "keep_course(integer)";
  const changed = () =>
    rewrite("function keep_course", (former) =>
      former.replace("(offering integer)", "(offering integer, again boolean)"),
    );

  it("is refused until the former one is listed as retired", async () => {
    await expect(draft({ statements: changed().all })).rejects.toThrow(
      `function ${signature}. List it in schema/functions/retired.ts`,
    );
  });

  it("stands beside the former one while the version lasts that may still call it", async () => {
    const { all, text } = changed();
    expect(await draft({ statements: all, retired: [{ signature, retiredIn: "1.0.0" }] })).toEqual([text]);
  });

  it("stands alone from the next version on", async () => {
    const { all, text } = changed();
    expect(
      await draft({ statements: all, retired: [{ signature, retiredIn: "1.0.0" }], version: "1.1.0" }),
    ).toEqual([`drop function ${signature};`, text]);
  });
});

describe("no migration is written", () => {
  it("when the migrations made what no file of schema/ says, which is named", async () => {
    await migrated.client.query("create index stray on modules (title)");
    await expect(draft({})).rejects.toThrow("index stray is made by the migrations");
    await migrated.client.query("drop index stray");
  });

  it("when the body of a function is wrong, which is named", async () => {
    const { all } = rewrite("function utc_day", (former) => former.replace("moment at", "moments at"));
    await expect(draft({ statements: all })).rejects.toThrow(/utc_day.*"moments" does not exist/);
  });

  it("when a function stands in two files", async () => {
    const again = statements.find(({ name }) => name === "utc_day") as Statement;
    await expect(draft({ statements: [...statements, again] })).rejects.toThrow(/utc_day.* a second time/);
  });
});

describe("a migration that was written", () => {
  it("leaves a database as schema/ says when it is applied, and is recorded for the one after it", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "migrations-"));
    await cp(migrationsFolder, folder, { recursive: true });
    const { all } = rewrite("function note_tree", (former) => former.replace("begin", "begin -- Changed."));
    const file = await addMigration(
      { name: "note_trees", statements: await draft({ statements: all }), tables, now: 0 },
      folder,
    );
    expect(await readFile(file, "utf8")).toContain("begin -- Changed.");

    const database = await emptyDatabase();
    const wanted = await buildWanted(empty.client, tables, all);
    const former = await migrate(database.url);
    expect(await migrate(database.url, folder)).toBe(1);
    const { client } = await connect(database);
    expect(differencesOf(wanted, await readCatalog(client), { version: "1.0.0" })).toEqual([]);
    expect(path.basename(file)).toBe(`${String(former).padStart(4, "0")}_note_trees.sql`);
    await client.end();
    await Promise.all([database.drop(), rm(folder, { recursive: true })]);
  });
});
