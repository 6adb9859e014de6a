import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { isDatabaseUnavailable } from "../../../lib/platform/db/unavailable.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { setForAccount } from "../../support/account-settings.ts";
import type { Person } from "../../support/client.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** Short for fast tests, but longer than statements without a wait. */
const lockTimeoutMs = 300;

let learner: Person;
let other: pg.Client;
let observer: pg.Client;

beforeAll(async () => {
  // Before the service connects.
  await setForAccount(url(), "lock_timeout", `${lockTimeoutMs}ms`);
  learner = await make.person();
  other = new pg.Client(url());
  observer = new pg.Client({ connectionString: url(), application_name: "observer" });
  await Promise.all([other.connect(), observer.connect()]);
});

afterAll(() => Promise.all([other.end(), observer.end()]));

beforeEach(() => {
  world.log.length = 0;
});

const url = () => world.deps.config.DATABASE_URL;
const wish = { title: "Dark mode", description: "Please" };
const ask = () => world.as(learner).post("/feature-requests", wish);
const failures = () => world.log.filter(({ message }) => message === "request failed");

const lockOf = (table: string) => `lock table ${table} in access exclusive mode`;

async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  await other.query(`begin; ${lockOf(table)}`);
  try {
    return await work();
  } finally {
    await other.query("rollback");
  }
}

/** Holds a lock for longer than a request waits, and runs the work. */
async function whileHeld<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await other.query(`begin; ${lock}`);
  // biome-ignore lint/plugin: the service gives a lock up by its own clock, and tries again
  setTimeout(() => void other.query("rollback"), 2 * lockTimeoutMs);
  const done = await work();
  await other.query("select 1");
  return done;
}

/** The number of connections that wait for a lock. In a transaction, the snapshot predates the wait. */
const waiting = async () =>
  (
    await observer.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).rowCount;

describe("a locked table", () => {
  it("fails only its own operations, after a while and with a retry time", async () => {
    await whileLocked("feature_requests", async () => {
      const asked = Array.from({ length: 30 }, ask);
      await expect.poll(waiting).toBe(5);
      const others = ["/users/me", "/courses", "/countries/"].map((path) => world.as(learner).get(path));
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await world.app.request("/readyz")).status).toBe(200);
      expect(await waiting(), "half of ten connections").toBeLessThanOrEqual(5);
      const replies = await Promise.all(asked);
      for (const { status, body, headers } of replies) {
        expect([status, body]).toEqual([
          503,
          { detail: "The database is busy: other transactions hold what this needs" },
        ]);
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      }
    });
    expect((await ask()).status).toBe(201);
    expect(failures(), "told once for all of them").toMatchObject([
      { level: "ERROR", count: 1, error: { cause: { cause: { code: "55P03" } } } },
    ]);
  });

  it("gets one statement per request, on connections that stay", async () => {
    const sent: string[] = [];
    const database = await connectDatabase({ url: url(), onQuery: ({ text }) => sent.push(text) });
    const pid = async () => (await database.db.execute(sql`select pg_backend_pid() as pid`)).rows;
    const before = await pid();
    const read = sql`select from feature_requests`;
    await whileLocked("feature_requests", () => expect(database.db.execute(read)).rejects.toThrow());
    expect(sent.filter((text) => text.includes("feature_requests"))).toHaveLength(1);
    expect(await pid()).toEqual(before);
    await database.close();
  });

  it("loses no work: work is submitted, and a score stored, once it is free", async () => {
    const { submit, grade } = await openLab(world);
    const handedIn = await whileHeld(lockOf("lab_submissions"), () => submit({ body: "Mine" }));
    expect(handedIn.status).toBe(201);
    const graded = await whileHeld(lockOf("grade_changes"), () => grade(handedIn.body.id, 12));
    expect([graded.status, graded.body.score_obtained]).toEqual([200, 12]);

    const quiz = await openQuiz(world);
    const { id } = (await quiz.start()).body;
    const submitted = await whileHeld(lockOf("quiz_attempts"), () => quiz.submit(id, quiz.right));
    expect([submitted.status, submitted.body.score_obtained]).toEqual([200, 5]);
  });

  it("takes at most half of the connections for the tutor's turns, and leaves the others", async () => {
    const { item } = await make.topic();
    const opened = await world.as(learner).post("/chat/sessions", { content_item_id: item.id });
    const say = () =>
      world.as(learner).post(`/chat/sessions/${opened.body.id}/messages`, { content: "Why?" });
    await whileLocked("chat_messages", async () => {
      const said = Array.from({ length: 12 }, say);
      await expect.poll(waiting).toBe(5);
      const others = ["/users/me", "/courses", "/countries/"].map((path) => world.as(learner).get(path));
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await waiting(), "half of ten connections").toBeLessThanOrEqual(5);
      expect(new Set((await Promise.all(said)).map(({ status }) => status))).toEqual(new Set([503]));
    });
  });

  it("is waited for by the schedule, by copies, by imports and by erasures", async () => {
    const { db, schedule } = world.deps;
    const read = sql`select from feature_requests`;
    await whileHeld(lockOf("feature_requests"), () => schedule.execute(read));
    await whileHeld(lockOf("feature_requests"), () => schedule.transaction((tx) => tx.execute(read)));

    const university = await make.university();
    const course = await make.course(university.id);
    const teacher = await make.holder("instructor", university.id);
    const copied = await whileHeld(`select from courses where id = ${course.id} for update`, () =>
      world.as(teacher).post(`/courses/${course.id}/copy`, {}),
    );
    expect(copied.status).toBe(201);
    const run = await make.offering(course);
    const again = await whileHeld(`select from courses where id = ${course.id} for update`, () =>
      world.as(teacher).post(`/courses/${course.id}/offerings/${run.id}/copy`, { same_course: true }),
    );
    expect(again.status, again.text).toBe(201);

    const administrator = await make.holder("university_admin", university.id);
    const people = "sourced_id,email,full_name\nheld-1,held-1@example.edu,Held";
    const imported = await whileHeld(lockOf("sourced_people"), () =>
      world.as(administrator).post(`/universities/${university.id}/imports`, {
        format: "CSV",
        files: { "people.csv": people },
      }),
    );
    expect(imported).toMatchObject({ status: 201, body: { created: 1, refused: 0 } });

    const { id } = await make.person();
    const request = JSON.stringify({ at: world.deps.now() });
    const erase = () =>
      db.execute(sql`
        select erase_account(${id}, token_version, true, ${request}::jsonb) as erased from users where id = ${id}`);
    const { rows } = await whileHeld(`select from users where id = ${id} for update`, erase);
    expect(rows).toEqual([{ erased: true }]);
  });
});

describe("temporary refusals of PostgreSQL", () => {
  /** Makes writes of feature requests fail with this SQLSTATE. */
  async function refuseWith(state: string): Promise<void> {
    await other.query(`
      create or replace function refuse_of_test() returns trigger language plpgsql as $$
      begin raise exception 'refused for the test' using errcode = '${state}'; end $$;
      create or replace trigger refuse_of_test before insert on feature_requests
        for each row execute function refuse_of_test()`);
  }

  afterAll(() => other.query("drop function if exists refuse_of_test() cascade"));

  it.each([
    ["53100", "The database's disk is full"],
    ["53200", "The database is short of resources"],
    ["53300", "The database has no free connection"],
    ["57P03", "The database is restarting"],
    ["25006", "The database is read-only"],
  ])("%s is a 503, logged once a minute with a count", async (state, detail) => {
    await refuseWith(state);
    for (let time = 0; time < 3; time += 1) {
      const { status, body, headers } = await ask();
      expect([status, body, headers.get("retry-after")]).toEqual([503, { detail }, "5"]);
    }
    expect(failures()).toHaveLength(1);
  });

  it.each([
    ["53100", true],
    ["25006", false],
    ["57P01", false],
  ])("%s keeps its connection: %s", async (state, isKept) => {
    await refuseWith(state);
    const database = await connectDatabase({ url: url(), max: 1 });
    const pid = async (db: DatabaseHandles["db"]) =>
      (await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)).rows[0]?.pid;
    const write = sql`
      insert into feature_requests (user_id, title, description) values (${learner.id}, 'Dark', 'Please')`;
    const before = await pid(database.db);
    const error = await database.db.execute(write).catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).toBe(true);
    const after = await pid(database.db);
    expect(after === before).toBe(isKept);
    const within = database.db.transaction((tx) => tx.execute(write));
    expect(isDatabaseUnavailable(await within.catch((thrown: unknown) => thrown))).toBe(true);
    expect((await pid(database.db)) === after).toBe(isKept);
    await database.close();
  });
});

describe("a database that is read-only", () => {
  it("is readable, rejects writes with 503, and is not ready", async () => {
    const database = new URL(url()).pathname.slice(1);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'observer'`;
    await other.query(`alter database ${database} set default_transaction_read_only = on; ${end}`);
    const read = async () => (await world.as(learner).get("/users/me")).status;
    // Several connections were ended; the pool detects each on use.
    await expect.poll(read).toBe(200);
    expect(await ask()).toMatchObject({ status: 503, body: { detail: "The database is read-only" } });
    const ready = await world.app.request("/readyz");
    expect([ready.status, await ready.json()]).toEqual([503, { detail: "The database is read-only" }]);
    await other.query(`alter database ${database} reset default_transaction_read_only`);
    await expect.poll(async () => (await ask()).status).toBe(201);
    await other.query(end);
    await expect.poll(async () => (await world.app.request("/readyz")).status).toBe(200);
  });
});
