import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { lastRelease } from "../../../schema/functions/last-release.ts";
import { hasLastRelease, unpackLastRelease } from "../../../scripts/build/migrations/last-release.ts";
import { emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

/** A function of a release: its parameter types and result columns. */
type Known = { name: string; types: string[]; columns: string[] };

/** Before the first tagged release, compares with HEAD, which proves that the test works. */
const release = hasLastRelease ? lastRelease : "HEAD";
const title = `the calls of ${release}`;

describe(hasLastRelease ? title : `${title}, since git has no tag ${lastRelease} yet`, () => {
  let database: TestDatabase;
  let client: pg.Client;
  let known: Known[];

  beforeAll(async () => {
    database = await emptyDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    const last = await unpackLastRelease(release, scratchFolder);
    await migrate(database.url, { schema: last.schema });
    const code = globSync(["{functions,lib,server}/**/*.ts", "scripts/{*,ops/**/*}.ts"], { cwd: last.folder })
      .map((file) => readFileSync(path.join(last.folder, file), "utf8"))
      .join("\n");
    last.remove();
    // Functions called only by other functions are replaced together with them.
    known = (await client.query<Known>(functionsOfNoTrigger)).rows.filter(({ name }) =>
      new RegExp(`\\b${name}\\b`).test(code),
    );
    await migrate(database.url);
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** Why calls with these arguments would fail. Does not run them. */
  async function unresolved(calls: Known[], argumentOf: (type: string, at: number) => string) {
    const failed: string[] = [];
    for (const { name, types, columns } of calls) {
      const read = columns.map((column) => `result."${column}"`).join(", ");
      const call = `${name}(${types.map(argumentOf).join(", ")})`;
      await client
        .query(`prepare one_call as select ${read} from ${call} as result; deallocate one_call`)
        .catch((error: Error) => failed.push(`${call}: ${error.message}`));
    }
    return failed;
  }

  it("find each function, with the columns that it returned", async () => {
    expect(known.length).toBeGreaterThan(200);
    expect(await unresolved(known, (type) => `null::${type}`)).toEqual([]);
  });

  it("find one function if their arguments have no types, as in the code", async () => {
    expect(await unresolved(known, (_, at) => `$${at + 1}`)).toEqual([]);
  });

  it("fail if a function was removed, has lost a column or is ambiguous", async () => {
    const gone = { name: "gone", types: ["integer"], columns: [] };
    const narrower = { name: "accept_invitation", types: ["integer", "integer", "jsonb"], columns: ["gone"] };
    expect(await unresolved([gone, narrower], (type) => `null::${type}`)).toHaveLength(2);
    await client.query(
      "create function namesake(one integer) returns integer language sql as 'select 1';" +
        "create function namesake(one date) returns integer language sql as 'select 1'",
    );
    const namesake = { name: "namesake", types: ["integer"], columns: [] };
    expect(await unresolved([namesake], (_, at) => `$${at + 1}`)).toHaveLength(1);
    await client.query("drop function namesake(integer); drop function namesake(date)");
  });
});

const functionsOfNoTrigger = `
  select proname as name,
    array(select format_type(type, null) from unnest(proargtypes) with ordinality as one (type, at) order by at) as types,
    coalesce(
      (select array_agg(proargnames[at] order by at) from generate_subscripts(proargmodes, 1) as at
       where proargmodes[at] in ('o', 'b', 't')),
      array(select attname::text from pg_attribute
            where attrelid = typrelid and typrelid <> 0 and attnum > 0 and not attisdropped)) as columns
  from pg_proc join pg_type as result on result.oid = prorettype
  where pronamespace = 'public'::regnamespace and prokind = 'f' and prorettype <> 'trigger'::regtype
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  order by 1, 2`;
