import { afterEach, beforeEach, expect, test } from "vitest";
import { nextAttemptDeadline } from "../../../lib/assessment/grade-closed-attempts.ts";
import type { Config } from "../../../lib/config.ts";
import type { Deps } from "../../../lib/deps.ts";
import {
  runCachePruningTasks,
  runDailyExpiryTasks,
  runFrequentUpkeep,
} from "../../../lib/operations/upkeep/upkeep.ts";
import type { Poller } from "../../../lib/platform/async/poller.ts";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { nextMailDueTime } from "../../../lib/platform/mail/outbox.ts";
import {
  beginTaskUnlessBegunSince,
  releaseTaskLease,
  takeOrRenewTaskLease,
} from "../../../lib/platform/schedule/tasks.ts";
import { lastTime } from "../../../server/job.ts";
import { startSchedule } from "../../../server/schedule.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

const [one, other] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];

let cloned: TestDatabase;
let database: DatabaseHandles;

beforeEach(async () => {
  cloned = await cloneDatabase();
  database = await connectDatabase({ url: cloned.url, max: 4 });
});

afterEach(async () => {
  await database.close();
  await cloned.drop();
});

test("of concurrent requests for a task one gets it, and can renew it", async () => {
  const holders = Array.from({ length: 8 }, () => crypto.randomUUID());
  const asked = holders.map((holder) => takeOrRenewTaskLease(database.db, "schedule", holder, 60));
  const held = await Promise.all(asked);
  expect(held.filter(Boolean)).toHaveLength(1);
  const again = await Promise.all(
    holders.map((holder) => takeOrRenewTaskLease(database.db, "schedule", holder, 60)),
  );
  expect(again).toEqual(held);
});

test("a task moves on when its holder releases it, and when a dead holder's lease expires", async () => {
  expect(await takeOrRenewTaskLease(database.db, "schedule", one, 60)).toBe(true);
  await releaseTaskLease(database.db, "schedule", other);
  expect(await takeOrRenewTaskLease(database.db, "schedule", other, 60)).toBe(false);
  await releaseTaskLease(database.db, "schedule", one);
  expect(await takeOrRenewTaskLease(database.db, "schedule", other, 60)).toBe(true);
  await cloned.run("update scheduled_tasks set held_until = now() - interval '1 second'");
  expect(await takeOrRenewTaskLease(database.db, "schedule", one, 60)).toBe(true);
});

test("a daily task begins once, for any number of callers", async () => {
  const yesterday = new Date(Date.now() - 86_400_000);
  const asked = Array.from({ length: 8 }, () => beginTaskUnlessBegunSince(database.db, "prune", yesterday));
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
  await cloned.run("update scheduled_tasks set begun_at = now() - interval '2 days'");
  expect(await beginTaskUnlessBegunSince(database.db, "prune", yesterday)).toBe(true);
});

test("a time of the day is of UTC, today's or yesterday's", () => {
  const last = (moment: string) => lastTime("03:30", new Date(moment)).toISOString();
  expect(last("2026-03-10T03:30:00Z")).toBe("2026-03-10T03:30:00.000Z");
  expect(last("2026-03-10T03:29:59Z")).toBe("2026-03-09T03:30:00.000Z");
  expect(last("2026-03-01T00:00:00Z")).toBe("2026-02-28T03:30:00.000Z");
});

const doAll = async () => {
  const SECRET_KEY = "a secret of the tests, long enough for HS256";
  const config = { AUDIT_MAX_AGE_DAYS: 30, NOTIFICATION_MAX_AGE_DAYS: 30, CACHE_MAX_AGE_DAYS: 30 } as Config;
  const parts = {
    db: database.db,
    config: { ...config, CACHE_MAX_NODES: 1, SECRET_KEY },
    now: () => new Date(),
  };
  const { signal } = new AbortController();
  await runDailyExpiryTasks(parts, signal);
  await runCachePruningTasks(parts, signal);
  await runFrequentUpkeep(parts, signal);
};

const forgettable =
  "insert into audit_events (action, occurred_at) values ('role.granted', now() - interval '5000 days')";
const lostCall = `
  insert into universities (name, short_code, country_id) select 'U', 'U', id from countries limit 1;
  insert into llm_calls (university_id, model, reserved_tokens, started_at)
  select id, 'model', 0, now() - interval '1 day' from universities`;

test("of the upkeep everything is done except failing tasks, which are reported", async () => {
  await cloned.run(`${forgettable}; alter table due_reminders rename to former_reminders`);
  await expect(doAll()).rejects.toThrow(/due_reminders/);
  expect(await cloned.run("select from audit_events")).toEqual([]);
});

test("counting, which never ends under load, blocks no other task of the upkeep", async () => {
  await cloned.run(`${forgettable}; ${lostCall}`);
  let upkeep: Promise<unknown> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.execute("select from scheduled_tasks where name = 'count' for update");
    upkeep = doAll();
    const left = "select from llm_calls where outcome = 'started' union all select from audit_events";
    await expect.poll(() => cloned.run(left)).toEqual([]);
  });
  await upkeep;
});

test("one server of several does the work of the schedule, and another when it stops or its lease is lost", async () => {
  const working = new Set<string>();
  const deps = { db: database.db, log: { warn() {} } } as unknown as Deps;
  const start = (holder: string): Poller => {
    const begin = () => {
      working.add(holder);
      return [{ stop: async () => void working.delete(holder) }];
    };
    return startSchedule(deps, holder, { start: begin, heldMs: 600 });
  };
  const first = start(one);
  await expect.poll(() => [...working]).toEqual([one]);
  const second = start(other);
  const held = "select from scheduled_tasks where holder is not null";
  await expect.poll(async () => (await cloned.run(held)).length).toBe(1);
  expect([...working]).toEqual([one]);

  await cloned.run(`update scheduled_tasks set holder = '${other}', held_until = now() + interval '1 hour'
    where holder is not null`);
  await expect.poll(() => [...working]).toEqual([other]);
  await second.stop();
  await expect.poll(() => [...working]).toEqual([one]);
  await first.stop();
  expect([...working]).toEqual([]);
});

test("a scheduled function knows the next due time, or that nothing waits", async () => {
  expect([await nextMailDueTime(database.db), await nextAttemptDeadline(database.db)]).toEqual([
    undefined,
    undefined,
  ]);
  await cloned.run(`
    insert into mail_outbox (kind, address, created_at, due_at, lease_until, ended_at) values
      ('verify_email', 'sent@example.edu', now(), '2026-03-10T11:00Z', null, now()),
      ('verify_email', 'leased@example.edu', now(), '2026-03-10T11:00Z', '2026-03-10T13:00Z', null),
      ('verify_email', 'waits@example.edu', now(), '2026-03-10T12:00Z', null, null)`);
  expect(await nextMailDueTime(database.db)).toEqual(new Date("2026-03-10T12:00Z"));
});
