import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { repeatInStepsWhileMore } from "../../../lib/platform/db/query/steps.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { countedFacts, newAnswers } from "../../support/report-rows.ts";

/* Records all activity and computes the expected sums from it. */

type Event = { person: number; at: number; asked: boolean };
type Answer = { person: number; at: number };

const minute = 60_000;
const midnight = Date.parse("2026-03-01Z");
const [people, perDay, days] = [24, 40, 3];
const topic = 1;

/** The same numbers in every run. */
let seed = 20260301;
const drawn = (below: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed % below;
};

const persons = Array.from({ length: people }, (_, index) => 1000 + index);
const drawEvent = (person: number): Event => ({
  person,
  at: midnight + drawn(days * 24 * 60) * minute + drawn(50_000),
  asked: drawn(4) === 0,
});
const told = persons.flatMap((person) => Array.from({ length: perDay * days }, () => drawEvent(person)));
const answered: Answer[] = told.filter(({ asked }) => asked).map(({ person, at }) => ({ person, at }));
const lateEvents = Array.from({ length: 120 }, () => drawEvent(persons[drawn(people)] ?? 0));
const lateAnswers: Answer[] = Array.from({ length: 60 }, () => drawEvent(persons[12 + drawn(6)] ?? 0));

const moment = (at: number) => `'${new Date(at).toISOString()}'`;
const insertEvents = (events: Event[]) => `
  insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at) values
  ${events.map(({ person, at, asked }) => `(${person}, '${asked ? "asked" : "viewed"}', 'content_item', 1, ${topic}, ${moment(at)})`).join(", ")}`;
const insertAnswers = (answers: Answer[]) => `
  insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
  select session.id, 'assistant', 'Yes.', '{"source": "cache"}', true, said.at::timestamptz
  from (values ${answers.map(({ person, at }) => `(${person}, ${moment(at)})`).join(", ")}) as said (person, at)
  join chat_sessions as session on session.user_id = said.person`;

let cloned: TestDatabase;
let database: DatabaseHandles;

beforeAll(async () => {
  cloned = await cloneDatabase();
  await cloned.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await cloned.run(`
    update scheduled_tasks set begun_at = '2026-03-01Z', reached_at = null where name = 'count';
    insert into users (id, email, full_name, password_hash) overriding system value
      select id, 'person' || id || '@example.edu', 'Person', 'hash' from generate_series(1000, 1000 + ${people} - 1) as id;
    insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, created_at)
      select id, ${topic}, '{}', 'content', 'content', '2026-03-01Z' from users where id >= 1000;
    ${insertEvents(told)};
    ${insertAnswers(answered)}`);
  database = await connectDatabase({ url: cloned.url, max: 8 });
  return async () => {
    await database.close();
    await cloned.drop();
  };
});

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Milliseconds on the topic and questions, by day and person. */
function expectedActivity(events: Event[]) {
  const sums = new Map<string, { milliseconds: number; questions: number }>();
  for (const person of persons) {
    let before = Number.NEGATIVE_INFINITY;
    const own = events.filter((event) => event.person === person).sort((one, other) => one.at - other.at);
    for (const { at, asked } of own) {
      const key = `${dayOf(at)} ${person}`;
      const sum = sums.get(key) ?? { milliseconds: 0, questions: 0 };
      if (at - before <= 30 * minute) sum.milliseconds += at - before;
      if (asked) sum.questions += 1;
      sums.set(key, sum);
      before = at;
    }
  }
  return Object.fromEntries(sums);
}

function expectedHits(answers: Answer[]) {
  const sums: Record<string, number> = {};
  for (const { at } of answers) sums[dayOf(at)] = (sums[dayOf(at)] ?? 0) + 1;
  return sums;
}

const readActivity = async () => {
  const rows = await cloned.run(`
    select day::text || ' ' || user_id as key, sum(milliseconds)::int as milliseconds, sum(questions)::int as questions
    from activity where user_id >= 1000 group by 1`);
  return Object.fromEntries(rows.map(({ key, ...sums }) => [String(key), sums]));
};
const readHits = async () => {
  const rows = await cloned.run(`
    select utc_day(moment)::text as day, sum(amount)::int as hits
    from (select measure, moment, amount from ${countedFacts} union all
          select measure, moment, amount from ${newAnswers}) as one
    where measure = 'hits' group by 1`);
  return Object.fromEntries(rows.map(({ day, hits }) => [String(day), hits]));
};

it("deletions, erasures and late events during the count of days leave correct totals", async () => {
  expect([await readActivity(), await readHits()]).toEqual([expectedActivity(told), expectedHits(answered)]);
  const steps = { rows: 60 };
  const rollUp = repeatInStepsWhileMore(
    database.schedule,
    steps,
    (rows) => sql`aggregate_daily_activity_and_answers(${rows}::int)`,
  );
  const alongside = async (statements: string[]) => {
    for (const statement of statements) await database.db.execute(sql.raw(statement));
  };
  const erasures = persons
    .slice(0, 6)
    .flatMap((person) => [
      `select erase_account(${person}, 0, false, '{"at": "2026-03-05T10:00Z"}')`,
      "select process_next_account_erasure_step('2026-03-05T10:05Z', 50)",
    ]);
  const deletions = persons
    .slice(6, 12)
    .map((person) => `delete from chat_sessions where user_id = ${person}`);
  const seen: number[] = [];
  const ends = Promise.all([
    alongside(erasures),
    alongside(deletions),
    alongside(lateEvents.slice(0, 60).map((event) => insertEvents([event]))),
    alongside(lateEvents.slice(60).map((event) => insertEvents([event]))),
    alongside(lateAnswers.map((answer) => insertAnswers([answer]))),
    rollUp,
  ]);
  let isOver = false;
  const over = ends.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const read: Record<string, number> = (await readHits()) as Record<string, number>;
    seen.push(Object.values(read).reduce((sum, hits) => sum + hits, 0));
  }
  await over;
  expect(await rollUp).toBeGreaterThan(20);
  // Counts never decrease while rows are pruned.
  expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  const done = [expectedActivity([...told, ...lateEvents]), expectedHits([...answered, ...lateAnswers])];
  expect([await readActivity(), await readHits()]).toEqual(done);
  await repeatInStepsWhileMore(
    database.schedule,
    steps,
    (rows) => sql`aggregate_daily_activity_and_answers(${rows}::int)`,
  );
  expect([await readActivity(), await readHits()]).toEqual(done);
});
