import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jobs } from "../../lib/jobs/jobs.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";

/** The first column of the tables below a heading of docs/scale.md, without its code marks. */
async function listedBelow(heading: string): Promise<string[]> {
  const page = await readFile(new URL("../../docs/scale.md", import.meta.url), "utf8");
  const section = page.split(/^##+ /m).find((one) => one.startsWith(`${heading}\n`));
  return [...(section ?? "").matchAll(/^\| (?:the job )?`([^`]+)`/gm)].map(([, first = ""]) => first).sort();
}

/** Each table, by where the foreign keys lead that its rows always have, and those that they may have. */
const ownership = `
  with recursive foreign_keys as (
    select conrelid as child, confrelid as parent, bool_and(attnotnull) as always
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)
    where contype = 'f' group by pg_constraint.oid, conrelid, confrelid),
  of_university(id) as (values ('universities'::regclass::oid)
    union select child from foreign_keys join of_university on parent = id where always),
  of_person(id) as (values ('users'::regclass::oid)
    union select child from foreign_keys join of_person on parent = id where always),
  of_either(id) as (values ('universities'::regclass::oid)
    union select child from foreign_keys join of_either on parent = id)
  select relname as table, case
    when oid in (table of_university) then 'university' when oid in (table of_person) then 'person'
    when oid in (table of_either) then 'either' else 'none' end as owner
  from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition
  order by relname`;

describe("docs/scale.md", () => {
  let clone: TestDatabase;
  let tables: { table: string; owner: string }[];

  beforeAll(async () => {
    clone = await cloneDatabase();
    const client = new pg.Client(clone.url);
    await client.connect();
    ({ rows: tables } = await client.query(ownership));
    await client.end();
  });

  afterAll(() => clone.drop());

  it.each([
    ["person", "Rows of a person"],
    ["either", "Rows of a university or of the platform"],
    ["none", "Rows that refer to no one"],
  ])("lists each table whose rows are no one university's: %s", async (owner, heading) => {
    const found = tables.filter((one) => one.owner === owner).map(({ table }) => table);
    expect(found).not.toEqual([]);
    expect(await listedBelow(heading)).toEqual(found);
  });

  it("names each job, and each operation over all universities", async () => {
    const listed = await listedBelow("What reads or writes over all universities");
    const document = JSON.parse(
      await readFile(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
    ) as { paths: Record<string, object> };
    const reports = Object.keys(document.paths)
      .filter((path) => /\/admin\/(analytics\/|audit$)/.test(path))
      .map((path) => `GET ${path.replace("/api/v1", "")}`);
    const expected = [...Object.keys(jobs), ...reports].sort();
    expect(listed.filter((one) => one !== "my-enrollments")).toEqual(expected);
  });
});
