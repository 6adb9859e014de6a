import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../../lib/identity/auth/actor.ts";
import { engagementReport } from "../../../lib/operations/analytics/engagement.ts";
import { overviewReport } from "../../../lib/operations/analytics/overview.ts";
import { progressReport } from "../../../lib/operations/analytics/progress.ts";
import { tutorReport } from "../../../lib/operations/analytics/tutor.ts";
import { universityReport } from "../../../lib/operations/analytics/university.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { repeatInStepsWhileMore } from "../../../lib/platform/db/query/steps.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

/*
 * Thirty people over two years. Reports of more than a year are compared with reports without monthly
 * aggregates.
 */

const [people, first, last] = [30, Date.parse("2024-01-10Z"), Date.parse("2026-02-20Z")];

/** The same numbers in every run. */
let seed = 20240110;
const drawn = (below: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
};

/** Events of sittings of up to an hour, on one of two topics, in a course or outside. */
function drawEvents(count: number): string {
  const values = Array.from({ length: count }, () => {
    const [person, moment] = [1000 + drawn(people), first + drawn(last - first)];
    const [topic, offering] = [drawn(3), drawn(4)];
    const at = (minutes: number) => `'${new Date(moment + minutes * 60_000).toISOString()}'::timestamptz`;
    const row = (verb: string, minutes: number) =>
      `(${person}, '${verb}', ${topic || "null::int"}, ${offering || "null::int"}, ${at(minutes)})`;
    return [row("viewed", 0), row(drawn(3) === 0 ? "asked" : "viewed", drawn(60))].join(", ");
  });
  return `
    insert into activity_events
      (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id, occurred_at)
    select person, verb, 'course', 1, case when coalesce(topic, offering) is not null then 1 end, topic, offering, moment
    from (values ${values.join(", ")}) as done (person, verb, topic, offering, moment)`;
}

/**
 * Topics that people start and may complete, week-long conversations, one answer per question, and LLM calls.
 */
function drawFacts(count: number): string {
  const at = (moment: number) => `'${new Date(Math.min(moment, last)).toISOString()}'::timestamptz`;
  const days = (most: number) => drawn(most) * 86_400_000 + drawn(86_400_000);
  const statements = Array.from({ length: count }, () => {
    const [person, moment, item] = [1000 + drawn(people), first + drawn(last - first), 1 + drawn(2)];
    const later = moment + days(40);
    const hit = drawn(3) > 0 ? `'{"source": "cache"}'` : `'{"joined": true}'`;
    return `
      insert into user_content_progress (user_id, course_offering_id, content_item_id, first_started_at, completed_at)
        values (${person}, ${1 + drawn(3)}, ${item}, ${at(moment)}, ${drawn(4) > 0 ? at(later) : "null"})
        on conflict (user_id, course_offering_id, content_item_id)
        do update set completed_at = excluded.completed_at, first_started_at = excluded.first_started_at;
      with talk as (
        insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, created_at)
        values (${person}, ${item}, '{}', 'c', 'c', ${at(moment)}) returning id)
      insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
        select id, 'assistant', 'Said', ${hit}::jsonb, true, said
        from talk, (values (${at(moment)}), (${at(moment + 60_000)}), (${at(later)})) as message (said);
      insert into activity_events (user_id, verb, object_type, object_id, university_id, content_item_id, occurred_at)
        select ${person}, 'asked', 'content_item', ${item}, 1, ${item}, asked
        from (values (${at(moment)}), (${at(moment + 60_000)}), (${at(later)})) as question (asked);
      insert into llm_calls (university_id, course_id, user_id, model, reserved_tokens, input_tokens, cost_micros, started_at)
        values (1, ${drawn(4) || "null"}, ${person}, 'm', 0, ${drawn(1000)}, ${drawn(3) || "null"}, ${at(moment)});
      update llm_calls set cost_micros = ${drawn(900)}, output_tokens = ${drawn(90)}
        where id = (select max(id) - ${drawn(5)} from llm_calls);`;
  });
  return statements.join("\n");
}

let cloned: TestDatabase;
let database: DatabaseHandles;

beforeAll(async () => {
  cloned = await cloneDatabase();
  await cloned.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await cloned.run(`
    update scheduled_tasks set begun_at = '2024-01-01Z', reached_at = null where name = 'count';
    insert into departments (university_id, name, code) values (1, 'Engines', 'E');
    update courses set department_id = 1 where id <> 2;
    insert into users (id, email, full_name, password_hash) overriding system value
      select id, 'person' || id || '@example.edu', 'Person', 'hash' from generate_series(1000, 999 + ${people}) as id;
    ${drawEvents(500)};
    ${drawFacts(80)}`);
  database = await connectDatabase({ url: cloned.url, max: 8 });
  return async () => {
    await database.close();
    await cloned.drop();
  };
});

const periods = [
  { date_from: "2024-01-01", date_to: "2025-12-31" },
  { date_from: "2024-05-17", date_to: "2026-02-11" },
  { date_from: "2024-12-31", date_to: "2026-01-01" },
  { date_from: "1970-01-01", date_to: "2026-03-31" },
];

const head = {
  id: 1,
  roles: [{ university_id: 1, department_id: null, role: "university_admin" }],
} as unknown as Actor;

const admin = {
  id: 1,
  roles: [{ university_id: 1, department_id: null, role: "platform_admin" }],
} as unknown as Actor;

const reportsOf = (db: Db) =>
  Promise.all(
    periods.map(async (period) => [
      await overviewReport(db, period, new Date(last)),
      ...(await Promise.all(
        [undefined, 1, 2].flatMap((course_id) => [
          engagementReport(db, { ...period, course_id }),
          progressReport(db, { ...period, course_id }, { skip: 0, limit: 100 }),
        ]),
      )),
      await tutorReport(db, admin, { ...period, skip: 0, limit: 100 }),
      await tutorReport(db, head, { ...period, university_id: 1, skip: 0, limit: 1 }),
      await tutorReport(db, head, { ...period, course_id: 2, skip: 0, limit: 100 }),
      await universityReport(db, head, 1, { ...period, skip: 0, limit: 100 }, new Date()),
      await universityReport(db, head, 1, { ...period, department_id: 1, skip: 0, limit: 100 }, new Date()),
    ]),
  );

async function byTheDay() {
  const undo = new Error("undone");
  let reports: unknown;
  await database.db
    .transaction(async (tx) => {
      await tx.execute(sql`delete from counted_months`);
      await tx.execute(sql`delete from counted_facts`);
      reports = await reportsOf(tx);
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return reports;
}

const count = async (rows: number) => {
  await repeatInStepsWhileMore(
    database.schedule,
    { rows },
    (most) => sql`aggregate_daily_activity_and_answers(${most}::int)`,
  );
  await repeatInStepsWhileMore(
    database.schedule,
    { rows },
    (most) => sql`aggregate_monthly_progress_and_tutor_use(${most}::int)`,
  );
  return repeatInStepsWhileMore(
    database.schedule,
    { rows },
    (most) => sql`aggregate_monthly_activity(${most}::int)`,
  );
};

const countedMonths = () =>
  cloned.run("select count(distinct month)::int as months, count(*) > 100 as has_sums from report_months");

it("reports of more than a year say the same by the month as by the day", async () => {
  const before = await reportsOf(database.db);
  expect(before).toEqual(await byTheDay());
  expect(await cloned.run("select from counted_facts")).toEqual([]);
  expect(await count(100)).toBeGreaterThan(50);
  expect(
    await cloned.run(
      "select until::text, count(*) > 50 as has_sums from counted_facts, fact_months group by 1",
    ),
  ).toEqual([{ until: expect.stringMatching(/^20(2[6-9]|[3-9])/), has_sums: true }]);
  expect(await countedMonths()).toEqual([{ months: 26, has_sums: true }]);
  expect(await reportsOf(database.db)).toEqual(before);
  expect(before).toEqual(await byTheDay());
});

it("late events, also of a month that is being counted, are counted in their month", async () => {
  await cloned.run("update counted_months set until = '2025-03-01', people_to = -2147483648");
  await cloned.run("delete from report_months where month >= '2025-03-01'");
  await cloned.run("delete from activity_months where month >= '2025-03-01'");
  await cloned.run("update counted_facts set until = '1970-01-01', reached_at = null");
  const alongside = async (statements: string[]) => {
    for (const statement of statements) await database.db.execute(sql.raw(statement));
  };
  const late = () => Array.from({ length: 30 }, () => [drawEvents(1), ...drawFacts(1).split(";\n")]).flat();
  const erasures = [1003, 1017, 1029].flatMap((person) => [
    `select erase_account(${person}, 0, false, '{"at": "2026-03-05T10:00Z"}')`,
    "select process_next_account_erasure_step('2026-03-05T10:05Z', 50)",
  ]);
  await Promise.all([alongside(late()), alongside(late()), alongside(erasures), count(40)]);
  await count(100);
  expect(await reportsOf(database.db)).toEqual(await byTheDay());
});

it("a recount of days recounts their months", async () => {
  await cloned.run(
    "update scheduled_tasks set begun_at = '2025-06-10Z', reached_at = null where name = 'count'",
  );
  await database.db.execute(sql`select aggregate_daily_activity_and_answers(1)`);
  expect(await reportsOf(database.db)).toEqual(await byTheDay());
  await cloned.run(drawEvents(20));
  await count(1000);
  expect(await cloned.run("select until > '2026-02-01' as is_counted from counted_months")).toEqual([
    { is_counted: true },
  ]);
  expect(await reportsOf(database.db)).toEqual(await byTheDay());
});

it("a university's report agrees for a year, from its events, and for a year and a day, from sums", async () => {
  await count(1000);
  const [year, more] = await Promise.all(
    ["2024-01-09", "2024-01-08"].map((date_from) =>
      universityReport(
        database.db,
        head,
        1,
        { date_from, date_to: "2025-01-08", skip: 0, limit: 100 },
        new Date(),
      ),
    ),
  );
  expect(more?.daily_active_users.slice(1)).toEqual(year?.daily_active_users);
  expect(year?.active_users).toBeGreaterThan(0);
  expect(more).toMatchObject({
    active_users: year?.active_users,
    weekly_active_users: year?.weekly_active_users,
    monthly_active_users: year?.monthly_active_users,
  });
});
