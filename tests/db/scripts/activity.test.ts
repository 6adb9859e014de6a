import { afterAll, beforeAll, expect, it } from "vitest";
import { openTimedReportReader } from "../../../proof/bench/reports.ts";
import { loadPlatformWithActivity, lowActivitySize as size } from "../../../proof/scale/activity.ts";
import type { MaxIdByTable } from "../../../proof/scale/generated-inserts.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
let base: MaxIdByTable;

beforeAll(async () => {
  database = await cloneDatabase();
  base = await loadPlatformWithActivity(database.url, size, () => {});
});

afterAll(() => database.drop());

it("loads 40 events and 10 messages for each of its people, and all of them are counted", async () => {
  const counts = await database.run(`
    select (select count(*)::int from activity_events) as events, (select count(*)::int from chat_messages) as messages,
           (select count(distinct user_id)::int from activity) as people,
           (select count(distinct user_id)::int from activity_days) -
             (select count(distinct user_id)::int from activity_events where occurred_at < daily_aggregates_counted_until()) as not_counted,
           (select count(distinct user_id)::int from course_trees) as learners`);
  expect(counts).toEqual([
    {
      ...{ events: 40 * size.people, messages: 10 * size.people },
      ...{ people: size.people, not_counted: 0, learners: size.people },
    },
  ]);
});

it("leaves the triggers as they were", async () => {
  expect(await database.run("select tgname from pg_trigger where tgenabled = 'D'")).toEqual([]);
  const stale =
    "select (select count(*)::int from stale_trees) as trees, (select count(*)::int from stale_outlines) as outlines";
  expect(await database.run(stale)).toEqual([{ trees: 0, outlines: 0 }]);
  await database.run("update modules set is_published = not is_published where id = 1");
  expect(await database.run(stale)).toEqual([{ trees: 0, outlines: 1 }]);
});

it("is a platform with readable reports", async () => {
  const platform = await openTimedReportReader(database.url, size, base);
  expect(await platform.read(`progress?course_id=${base.courses + 1}`)).toBeGreaterThan(0);
  await platform.close();
});
