import { asc, getTableColumns, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { queryJsonPage } from "../../../lib/platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../../lib/platform/db/query/page.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import { cloneDatabase, neonProxyAddress, type TestDatabase } from "../../support/database.ts";

describe.each(["pg", "neon"] as const)("through %s, a list that PostgreSQL writes", (driver) => {
  let clone: TestDatabase;
  let database: DatabaseHandles;

  beforeAll(async () => {
    clone = await cloneDatabase();
    const neonProxy = neonProxyAddress(driver);
    database = await connectDatabase({ url: clone.url, ...(neonProxy && { neonProxy }) });
  });

  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  const columns = getTableColumns(courses);
  const byId = createPageQuery({ skip: 0, limit: 100 }, [ascending(courses.id)]);
  const written = async () =>
    JSON.parse((await queryJsonPage(database.db, byId.rows(columns, sql`${courses}`))).text);

  test("is empty without rows", async () => {
    expect(await written()).toEqual([]);
  });

  test("says the same as the rows that are read, in their order", async () => {
    const { db } = database;
    const [country] = (await db.execute(sql`select id from countries limit 1`)).rows;
    const home = { name: "Home", short_code: "HOME", country_id: Number(country?.["id"]) };
    const [university] = await db.insert(universities).values(home).returning();
    const of = { university_id: university?.id ?? 0, title: 'A "quoted" \\ title\n\u0001 of 50 € 🎓' };
    await db.insert(courses).values([
      { ...of, code: "A", credit_hours: 7.5, level: "GRADUATE", description: null },
      { ...of, code: "B", credit_hours: 12, created_at: "0050-01-31T09:00:00.500Z", description: "" },
      { ...of, code: "C", credit_hours: null, created_at: "9999-12-31T23:59:59.999Z" },
      { ...of, code: "D", credit_hours: 0, created_at: "2026-03-10T12:00:00.000+05:45", is_published: true },
    ]);
    const read = await db.select().from(courses).orderBy(asc(courses.id));
    expect(await written()).toEqual(read);
    // From here on, columns arrive as text.
    expect(await written()).toEqual(read);
  });

  test("differs per request, also with the same columns", async () => {
    const asked = { id: courses.id, asked: sql`${"of this request"}::text` };
    const list = async () =>
      JSON.parse((await queryJsonPage(database.db, byId.rows(asked, sql`${courses}`))).text);
    for (let time = 0; time < 3; time += 1)
      expect((await list())[0]).toMatchObject({ asked: "of this request" });
  });
});
