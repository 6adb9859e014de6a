import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { oldestOpenTransactionNumberQuery } from "../../../../lib/integrations/event-feed/cursor.ts";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const record = (today: string, more = "") =>
  rows(
    `select add_activity_event_and_update_streak(1, 'viewed', '{"type": "content_item", "id": 1}', 1, 1, '${today}T10:00Z', '${today}'${more})`,
  );

describe("add_activity_event_and_update_streak", () => {
  it("writes one event, with the moment that it is given", async () => {
    await record("2026-03-01");
    expect(
      await rows("select user_id, verb, object_type, object_id, occurred_at::text from activity_events"),
    ).toEqual([
      {
        ...{ user_id: 1, verb: "viewed", object_type: "content_item", object_id: 1 },
        occurred_at: "2026-03-01 10:00:00+00",
      },
    ]);
  });

  it.each([
    ["the same day keeps the streak", "2026-03-01", 4],
    ["the next day adds one", "2026-03-02", 5],
    ["a gap starts again at 1", "2026-03-03", 1],
    ["a day before the last one keeps it", "2026-02-28", 4],
  ])("%s", async (_, today, streak) => {
    await rows("update users set last_activity_date = '2026-03-01', current_streak_days = 4 where id = 1");
    await record(today);
    expect(await value("select current_streak_days from users where id = 1")).toBe(streak);
  });

  it.each([
    ["the same day", "2026-03-01", 4, "2026-03-01"],
    ["a day before it", "2026-02-28", 4, "2026-03-01"],
    ["the next day", "2026-03-02", 5, "2026-03-01"],
    ["an outdated day: the stored one counts", "2026-03-01", 4, "2026-02-20"],
    ["none", "2026-03-02", 5, null],
  ])("receives the last active day from a caller who has read it: %s", async (_, today, streak, read) => {
    await rows("update users set last_activity_date = '2026-03-01', current_streak_days = 4 where id = 1");
    await record(today, `, ${read === null ? "null" : `'${read}'`}`);
    expect(await value("select current_streak_days from users where id = 1")).toBe(streak);
    expect(await value("select count(*)::int from activity_events")).toBe(1);
  });

  it("trusts a caller who has read the last active day, and reads nothing on that day", async () => {
    await record("2026-03-01", ", '2026-03-01'");
    expect(await value("select last_activity_date from users where id = 1")).toBeNull();
    expect(await value("select count(*)::int from activity_events")).toBe(1);
  });

  it("begins the streak of a person without activity", async () => {
    await record("2026-03-01");
    expect(
      await rows("select current_streak_days, last_activity_date::text from users where id = 1"),
    ).toEqual([{ current_streak_days: 1, last_activity_date: "2026-03-01" }]);
  });
});

it("change_number is the transaction's own, which is not safe to have been read while it is open", async () => {
  expect(await value("select current_transaction_number() = current_transaction_number()")).toBe(true);
  expect(await value(sql`select (${oldestOpenTransactionNumberQuery}) <= current_transaction_number()`)).toBe(
    true,
  );
});
