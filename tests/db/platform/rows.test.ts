import { getTableColumns, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import {
  createPreparedRowsQuery,
  rowsDecodedByColumns,
  rowsOf,
  StoredInstant,
  UnexpectedRow,
} from "../../../lib/platform/db/query/rows.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

const Person = z.object({ id: z.int(), name: z.string().nullable() });

let clone: TestDatabase;
let checking: DatabaseHandles;
let trusting: DatabaseHandles;

beforeAll(async () => {
  clone = await cloneDatabase();
  checking = await connectDatabase({ url: clone.url, checkRows: true });
  trusting = await connectDatabase({ url: clone.url });
});

afterAll(async () => {
  await Promise.all([checking.close(), trusting.close()]);
  await clone.drop();
});

describe("a raw statement's rows, in tests and development", () => {
  it("are returned unchanged, if they match their schema", async () => {
    const rows = rowsOf(checking.db, Person, sql`select 1 as id, null as name union all select 2, 'Ada'`);
    await expect(rows).resolves.toEqual([
      { id: 1, name: null },
      { id: 2, name: "Ada" },
    ]);
  });

  it.each([
    ["a value of another type", sql`select '1' as id, 'Ada' as name`],
    ["a null that is not stated", sql`select null::int as id, 'Ada' as name`],
    ["an absent column", sql`select 1 as id`],
    ["a column that is not stated", sql`select 1 as id, 'Ada' as name, 'hash' as password_hash`],
  ])("are rejected with %s", async (_, statement) => {
    await expect(rowsOf(checking.db, Person, statement)).rejects.toThrow(UnexpectedRow);
  });

  it("are rejected if the schema would spell them differently", async () => {
    const Level = z.object({ level: z.string().toUpperCase() });
    await expect(rowsOf(checking.db, Level, sql`select 'beginner' as level`)).rejects.toThrow("level");
  });

  it("are checked against the schema within transactions, and within nested ones", async () => {
    const wrong = sql`select 'one' as id, 'Ada' as name`;
    const outer = checking.db.transaction((tx) => rowsOf(tx, Person, wrong));
    await expect(outer).rejects.toThrow(UnexpectedRow);
    const inner = checking.db.transaction((tx) => tx.transaction((nested) => rowsOf(nested, Person, wrong)));
    await expect(inner).rejects.toThrow(UnexpectedRow);
  });

  it("match for a statement that is built once, with all values", async () => {
    const person = createPreparedRowsQuery(
      Person,
      sql`select ${sql.placeholder("id")}::int as id, ${sql.placeholder("name")} || '!' as name`,
    );
    await expect(person(checking.db, { id: 1, name: "Ada" })).resolves.toEqual([{ id: 1, name: "Ada!" }]);
    await expect(person(trusting.db, { id: 2, name: null })).resolves.toEqual([{ id: 2, name: null }]);
    await expect(person(checking.db, { id: null, name: "Ada" })).rejects.toThrow(UnexpectedRow);
    await expect(person(checking.db, { id: 1 })).rejects.toThrow("name");
  });

  it("hold moments as the database spells them", async () => {
    const Moment = z.object({ moment: StoredInstant });
    await expect(rowsOf(checking.db, Moment, sql`select now() as moment`)).resolves.toHaveLength(1);
    await expect(rowsOf(checking.db, Moment, sql`select 'soon' as moment`)).rejects.toThrow(UnexpectedRow);
  });

  it("of a table have every column, and a value if the table requires one", async () => {
    const { id, name } = getTableColumns(universities);
    const read = (statement: ReturnType<typeof sql>) =>
      rowsDecodedByColumns(checking.db, { id, name }, statement);
    await expect(read(sql`select 1 as id, 'Aalto' as name`)).resolves.toEqual([{ id: 1, name: "Aalto" }]);
    await expect(read(sql`select 1 as id`)).rejects.toThrow("name");
    await expect(read(sql`select null::int as id, 'Aalto' as name`)).rejects.toThrow("id");
  });
});

describe("a raw statement's rows, in production", () => {
  it("are not looked at", async () => {
    const rows = rowsOf(trusting.db, Person, sql`select 'one' as id`);
    await expect(rows).resolves.toEqual([{ id: "one" }]);
  });
});
