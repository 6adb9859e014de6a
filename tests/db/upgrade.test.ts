import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "../../functions/groups.ts";
import { loadConfig } from "../../lib/config.ts";
import { migrate } from "../../lib/db/migrations/migrate.ts";
import { wire } from "../../lib/deps.ts";
import { shell } from "../../lib/http/shell.ts";
import { clientOf } from "../support/client.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { countedFacts, newAnswers } from "../support/report-rows.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const migrations = path.resolve(import.meta.dirname, "../../schema/migrations");

/** The number of migrations with which the first release began. */
const BASELINE = 3;

/** The number of migrations up to which writers noted on lists what was to be counted for the reports. */
const LAST_WITH_LISTS = 39;

/** Tables whose rows another one has taken over. */
const replacedBy: Record<string, string> = {
  cache_hits: "cache_visits",
};

/** Lists of what was to be counted, and what was: reports read it from the rows, see below. */
const counted = /^(uncounted_\w+|report_totals|course_trees)$/;

/**
 * Columns that are kept nowhere any more, and lose nothing: the lease of whoever wrote an answer. And what a further version
 * of the tutor's prompt changes: where `latest` stands, and the count; `production` stays, see below.
 */
const dropped = [
  ...["cache_nodes.filling_token", "cache_nodes.filling_until"],
  ...["prompt_labels.prompt_id", "prompt_names.latest_version", "prompt_names.version"],
  ...["prompt_versions.labels", "prompt_versions.name_version"],
];

type Rows = Record<string, Record<string, unknown>[]>;

let folder: string;
let database: TestDatabase;
let before: Rows;

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "baseline-"));
  await cp(migrations, folder, { recursive: true });
  const journal = path.join(folder, "meta/_journal.json");
  const { entries, ...rest } = JSON.parse(await readFile(journal, "utf8"));
  const migrateTo = async (number: number) => {
    await writeFile(journal, JSON.stringify({ ...rest, entries: entries.slice(0, number) }));
    return migrate(database.url, folder);
  };

  database = await emptyDatabase();
  expect(await migrateTo(BASELINE)).toBe(BASELINE);
  await database.run(await readFile(path.join(import.meta.dirname, "upgrade.sql"), "utf8"));
  before = await readAll();
  await migrateTo(LAST_WITH_LISTS);
  await database.run(`
    insert into chat_sessions (id, user_id, content_item_id, content_context, content_fingerprint)
      overriding system value values (1000, 1, 1, '{}', 'content');
    insert into chat_messages (session_id, role, content, meta, on_shared_path)
      values (1000, 'assistant', 'Hello.', '{"source": "cache"}', true);
    delete from chat_sessions where id = 1000;
    insert into user_identities (user_id, provider, subject) values (1, 'platform', 'ada'), (3, '1.campus', 'mary');
    insert into content_items
      (id, module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
      overriding system value
      select 1000, 2, 1, 1, id, 'A quiz', 2, '{"quiz_mode": "exam", "time_limit_seconds": -5, "passing_percent": 60,
        "mastery": {"max_attempts": 0, "points": -3, "threshold_correct_in_row": 2, "own": null}}'
      from content_types where name = 'quiz'`);
  expect(await migrate(database.url)).toBe(entries.length - LAST_WITH_LISTS);
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Every row of every table. */
async function readAll(): Promise<Rows> {
  const tables = await database.run(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const all: Rows = {};
  for (const { name } of tables) all[String(name)] = await database.run(`select * from "${name}"`);
  return all;
}

/** What reports read of these measures, counted or not. */
const sumsOf = (...measures: string[]) =>
  database.run(`
    select measure, sum(amount)::int as amount from (
      select measure, amount from ${countedFacts}
      union all select measure, amount from learning_facts
      union all select measure, amount from assessment_facts
      union all select measure, amount from conversation_facts
      union all select measure, amount from ${newAnswers}
    ) as fact
    where measure in (${measures.map((measure) => `'${measure}'`)}) group by 1 order by 1`);

const keptOf = (table: string, row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !dropped.includes(`${table}.${column}`)));

describe("a database with the data of the baseline, brought up to date", () => {
  it("still has every row as it was, whatever columns were added", async () => {
    const after = await readAll();
    const filled = Object.entries(before).filter(([table, rows]) => rows.length > 0 && !counted.test(table));
    expect(filled.length).toBeGreaterThan(25);
    for (const [table, rows] of filled)
      expect(after[replacedBy[table] ?? table], table).toEqual(
        expect.arrayContaining(rows.map((row) => expect.objectContaining(keptOf(table, row)))),
      );
  });

  it("keeps what a university changed of the reference data", async () => {
    expect(await database.run("select label from content_types where name = 'text'")).toEqual([
      { label: "Reading" },
    ]);
    const production = await database.run(
      "select version from prompts join prompt_labels on prompt_id = prompts.id where label = 'production'",
    );
    expect(production).toEqual([{ version: 1 }]);
  });

  it("counts what happened", async () => {
    expect(await sumsOf("signups", "conversations", "hits"), "with a conversation that is gone").toEqual([
      { measure: "conversations", amount: 2 },
      { measure: "hits", amount: 1 },
      { measure: "signups", amount: 3 },
    ]);
    expect(await database.run("select count(distinct user_id)::int as people from activity")).toEqual([
      { people: 1 },
    ]);
    for (let step = 0; step < 20; step += 1) await database.run("select look_anew(200)");
    expect(await database.run("select count(*)::int as trees from trees")).toEqual([{ trees: 1 }]);
    const unkept = `select from enrollments where not exists (
      select from enrollment_progress as kept
      where kept.user_id = enrollments.user_id and kept.course_offering_id = enrollments.course_offering_id)`;
    expect(await database.run(unkept)).toEqual([]);
    const popularity = "select subject_id, enrollments from course_popularity where course_id = 1 order by 1";
    expect(await database.run(popularity)).toEqual([
      { subject_id: 1, enrollments: 1 },
      { subject_id: null, enrollments: 1 },
    ]);
    const requests = "select status from feature_request_totals where requests = 1";
    expect(await database.run(requests)).toEqual([{ status: "pending" }]);
  });

  it("numbers what was handed in, and counts it for its course too", async () => {
    const attempts =
      "select artifacts_url as url, attempt_number as attempt from lab_submissions where user_id = 1";
    expect(await database.run(`${attempts} order by 2`)).toEqual([
      { url: "https://files.example.edu/1", attempt: 1 },
      { url: "https://files.example.edu/2", attempt: 2 },
    ]);
    expect(await sumsOf("labs_submitted")).toEqual([{ measure: "labs_submitted", amount: 3 }]);
  });

  it("begins the items of work that was handed in, by the schedule", async () => {
    const begun = () =>
      database.run(`
        select user_id, first_started_at = (
                 select min(submitted_at) from lab_submissions as work where work.user_id = mine.user_id) as with_work
        from user_content_progress as mine where content_item_id = 1 order by 1`);
    expect(await begun()).toEqual([{ user_id: 1, with_work: false }]);
    await database.run("select begin_items_of_before(100)");
    expect(await begun()).toEqual([
      { user_id: 1, with_work: true },
      { user_id: 3, with_work: true },
    ]);
    expect(await database.run("select begin_items_of_before(100) as is_more")).toEqual([{ is_more: false }]);
    expect(await database.run("select name from backfills")).toEqual([]);
  });

  it("has no setting of a quiz that means nothing, and says of which course they were", async () => {
    expect(await database.run("select data_json from content_items where id = 1000")).toEqual([
      {
        data_json: {
          ...{ quiz_mode: "exam", time_limit_seconds: null, passing_percent: 60 },
          mastery: { max_attempts: null, points: 0, threshold_correct_in_row: 2, own: null },
        },
      },
    ]);
    const told = "select university_id, details from audit_events where action = 'content.settings_removed'";
    const settings = ["mastery.max_attempts", "mastery.points", "time_limit_seconds"];
    expect(await database.run(told)).toEqual([
      { university_id: 1, details: { course_id: 1, content_items: { 1000: settings } } },
    ]);
  });

  it("has every enrollment in the university of its offering", async () => {
    const universities = "select distinct university_id from enrollments where course_offering_id = 1";
    expect(await database.run(universities)).toEqual([{ university_id: 1 }]);
  });

  it("has ended the tokens of those whom a university's identity provider signs in, and of nobody else", async () => {
    expect(
      await database.run("select id, token_version from users where id in (1, 2, 3) order by id"),
    ).toEqual([
      { id: 1, token_version: 0 },
      { id: 2, token_version: 0 },
      { id: 3, token_version: 1 },
    ]);
  });

  it("serves the people who were there", async () => {
    const deps = await wire(
      loadConfig({
        ...{ ENVIRONMENT: "development", LOG_LEVEL: "ERROR", DATABASE_URL: database.url },
        ...{ SECRET_KEY: "a secret of the tests, long enough for HS256" },
        ...{ LLM_PROVIDER: "direct_api", DIRECT_API_KEY: "key-of-the-tests" },
      }),
    );
    const app = shell(deps, groups) as unknown as Hono;
    const [ada, charles] = [clientOf(app, deps, { id: 1 }), clientOf(app, deps, { id: 2 })];
    expect((await ada.get("/users/me")).body).toMatchObject({ email: "ada@example.edu" });
    expect((await ada.get("/courses")).body).toMatchObject([{ code: "DE1" }]);
    expect((await ada.get("/modules/courses/1/modules")).body).toMatchObject([{ depth: 0 }, { depth: 1 }]);
    expect((await ada.get("/chat/sessions/1")).body.messages).toHaveLength(2);
    expect((await charles.get("/prompts/tutor")).body).toMatchObject({ version: 1 });
    // What this release says better is a version to look at, and the newest.
    const newest = (await charles.get("/prompts/tutor?label=latest")).body;
    expect(newest.labels).toEqual(["latest"]);
    expect(newest.prompt).toContain("```key");
    await deps.close();
  });
});
