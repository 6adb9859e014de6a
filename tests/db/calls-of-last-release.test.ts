import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { committedMigrations, migrate } from "../../lib/db/migrations/migrate.ts";
import { lastRelease } from "../../schema/functions/last-release.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

/** A function as the last release knew it: the types of its parameters, and the columns of its result. */
type Known = { name: string; types: string[]; columns: string[] };

/** What only functions of the database have called: these are replaced with it, so that it may go or have a namesake. */
const calledByFunctionsAlone = [
  "completes_by_result",
  "delete_belongings",
  "forget_counted",
  "forget_limits",
  "free_place",
  "gate_of_work",
  "hold_counted_score",
  "hold_grades",
  "hold_invited_places",
  "hold_offerings",
  "hold_own_words",
  "hold_path",
  "hold_submission",
  "hold_subtree",
  "hold_thread_of",
  "imported_places",
  "keep_grades",
  "keep_popularity_of_subjects",
  "keep_progress",
  "keep_statistics",
  "keep_trees",
  "lose_calls",
  "mail_invitations",
  "place_prompt_labels",
  "places_taken",
  "send_mail",
  "tree_of",
  "trees_of",
];

/** What its code never called: tests did, and the chaos run, which have a query of their own now. */
const calledByTestsAlone = ["cache_tree_violations"];

let database: TestDatabase;
let client: pg.Client;
let known: Known[];

beforeAll(async () => {
  database = await emptyDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  await migrateToLastRelease();
  known = (await client.query(functionsOfNoTrigger)).rows;
  await migrate(database.url);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function migrateToLastRelease(): Promise<void> {
  const folder = await mkdtemp(path.join(scratchFolder, "last-release-"));
  await cp(committedMigrations, folder, { recursive: true });
  const journal = path.join(folder, "meta/_journal.json");
  const { entries, ...rest } = JSON.parse(await readFile(journal, "utf8"));
  await writeFile(journal, JSON.stringify({ ...rest, entries: entries.slice(0, lastRelease.migrations) }));
  expect(await migrate(database.url, folder)).toBe(lastRelease.migrations);
  await rm(folder, { recursive: true });
}

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

const byTheCode = () =>
  known.filter(({ name }) => ![...calledByFunctionsAlone, ...calledByTestsAlone].includes(name));

/** Why calls with these arguments would fail; none is done. */
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

it("every function that the code of the last release called is there, and answers the columns that it read", async () => {
  expect(known.length).toBeGreaterThan(200);
  expect(await unresolved(byTheCode(), (type) => `null::${type}`)).toEqual([]);
});

it("its calls find one function where their arguments have no types, as those of the code", async () => {
  expect(await unresolved(byTheCode(), (_, at) => `$${at + 1}`)).toEqual([]);
});

it("a function that is gone, has lost a column or has a namesake is one that does not resolve", async () => {
  const gone = { name: "gone", types: ["integer"], columns: [] };
  const narrower = { name: "accept_invitation", types: ["integer", "integer", "jsonb"], columns: ["gone"] };
  expect(await unresolved([gone, narrower], (type) => `null::${type}`)).toHaveLength(2);
  const namesake = known.filter(({ name }) => name === "send_mail");
  expect(await unresolved(namesake, (_, at) => `$${at + 1}`)).toHaveLength(namesake.length);
});
