import { beforeEach, describe, expect, it } from "vitest";
import { countedFacts, newAnswers } from "../../support/report-rows.ts";
import { openSession } from "./session.ts";

const { rows, value, sumsOf } = openSession();

/* Ada takes course 1, looks at it on two days a week apart, and asks its tutor once on each; ids begin at 1. */
beforeEach(async () => {
  await rows(
    "insert into enrollments (user_id, course_offering_id, status, dropped_at) values (1, 1, 'dropped', '2026-03-04')",
  );
  await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at) values
    (1, 'asked', 'content_item', 1, 1, '2026-03-01T10:00Z'), (1, 'asked', 'content_item', 1, 1, '2026-03-09T10:00Z')`);
  await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, content_fingerprint, created_at)
    overriding system value values (1, 1, 1, '{}', 'content', '2026-03-01')`);
  await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at) values
    (1, 'assistant', 'Hello.', '{"source": "cache"}', true, '2026-03-01T10:00Z'),
    (1, 'assistant', 'Yes.', '{"source": "llm"}', true, '2026-03-09T10:00Z')`);
  await countUntil("2026-03-01");
});

const countUntil = (day: string) =>
  rows(`update scheduled_tasks set begun_at = '${day}Z' where name = 'count'`);

/** Counts all that is over. */
const countAll = async () => {
  while (await value("select count_days()"));
};

const untilDay = () => value("select utc_day(counted_until())::text");

/** Who was active on which day, and answers by their day. */
const activity = () => rows("select day::text, user_id, questions from activity order by 1");
const answers = () =>
  rows(`select measure, utc_day(moment)::text as day, sum(amount)::int as amount
    from (select * from ${countedFacts} where measure in ('hits', 'misses')
          union all select measure, course_id, moment, since, amount from ${newAnswers}) as one
    group by 1, 2 having sum(amount) <> 0 order by 1`);

const ofAda = [
  { day: "2026-03-01", user_id: 1, questions: 1 },
  { day: "2026-03-09", user_id: 1, questions: 1 },
];
const given = [
  { measure: "hits", day: "2026-03-01", amount: 1 },
  { measure: "misses", day: "2026-03-09", amount: 1 },
];

describe("count_days", () => {
  it("counts a week at a time, and changes nothing of what is read", async () => {
    expect(await value("select count_days()")).toBe(true);
    expect(await untilDay()).toBe("2026-03-08");
    expect(await rows("select day::text, user_id from activity_days")).toEqual([
      { day: "2026-03-01", user_id: 1 },
    ]);
    expect([await activity(), await answers()]).toEqual([ofAda, given]);
    await countAll();
    expect([await activity(), await answers()]).toEqual([ofAda, given]);
    expect(await value("select count(*)::int from activity_days")).toBe(2);
  });

  it("counts no day before it is over for three hours", async () => {
    await rows(`create or replace function service_now() returns timestamptz language sql stable
      as $$ select timestamptz '2026-03-10T02:59Z' $$`);
    await countAll();
    expect(await untilDay()).toBe("2026-03-09");
    await rows(`create or replace function service_now() returns timestamptz language sql stable
      as $$ select timestamptz '2026-03-10T03:00Z' $$`);
    expect(await value("select count_days()")).toBe(false);
    expect(await untilDay()).toBe("2026-03-10");
    expect([await activity(), await answers()]).toEqual([ofAda, given]);
  });

  it("counts days again when the clock is set back", async () => {
    await countAll();
    await rows(`create or replace function service_now() returns timestamptz language sql stable
      as $$ select timestamptz '2026-03-08T12:00Z' $$`);
    expect(await value("select count_days()")).toBe(false);
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      values (2, 'viewed', 'course', 1, service_now())`);
    expect(await activity()).toContainEqual({ day: "2026-03-08", user_id: 2, questions: 0 });
    expect(await activity()).toHaveLength(3);
  });
});

describe("count_again", () => {
  const event = (moment: string) =>
    rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      values (2, 'viewed', 'course', 1, ${moment})`);

  it("begins with the day of what is told late, and what was counted of the days before stays", async () => {
    await countAll();
    const all = await untilDay();
    await event("service_now() - interval '59 minutes'");
    await event("'2026-03-20'");
    expect(await untilDay()).toBe("2026-03-20");
    await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
      values (1, 'assistant', 'Hm.', '{"source": "cache"}', true, '2026-03-05T10:00Z')`);
    await event("'2026-03-06'");
    expect(await untilDay()).toBe("2026-03-05");
    const [now, also] = [await activity(), await answers()];
    expect(also).toContainEqual({ measure: "hits", day: "2026-03-05", amount: 1 });
    expect(now.map(({ day }) => day).slice(0, 4)).toEqual([
      "2026-03-01",
      "2026-03-06",
      "2026-03-09",
      "2026-03-20",
    ]);
    await countAll();
    expect([await activity(), await answers(), await untilDay()]).toEqual([now, also, all]);
  });
});

describe("keep_conversation", () => {
  it.each(["2026-03-01", "2026-03-08", "2026-03-22"])(
    "keeps what a conversation counted for that is deleted, where days are counted until %s",
    async (day) => {
      await countAll();
      await countUntil(day);
      const before = [await answers(), await sumsOf("conversation_facts")];
      await rows("delete from chat_sessions");
      expect([await answers(), await sumsOf(`${countedFacts} where measure ~ 'conversation'`)]).toEqual(
        before,
      );
      await countUntil("2026-03-01");
      await countAll();
      expect([await answers(), await sumsOf(`${countedFacts} where measure ~ 'conversation'`)]).toEqual(
        before,
      );
    },
  );
});

describe("an account that is erased", () => {
  const erase = () => value(`select erase_account(1, 0, false, '{"at": "2026-03-21T10:00Z"}')`);
  const read = async () => [
    await activity(),
    await answers(),
    await rows(`select measure, sum(amount)::int as amount
      from (select measure, amount from ${countedFacts} where measure not in ('hits', 'misses') and measure !~ '^chat'
            union all select measure, amount from learning_facts
            union all select measure, amount from standing_facts
            union all select measure, amount from conversation_facts) as one
      group by 1 having sum(amount) <> 0 order by 1`),
  ];

  it.each(["2026-03-01", "2026-03-08", "2026-03-22"])(
    "counts for what it counted for under its number, where days are counted until %s",
    async (day) => {
      await rows("insert into notes (user_id, content_item_id, body) values (1, 1, 'Mine')");
      await countAll();
      await countUntil(day);
      const before = await read();
      expect(before[2]).toContainEqual({ measure: "notes", amount: 1 });
      expect(await erase()).toBe(true);
      expect(await rows("select from notes union all select from chat_sessions")).toEqual([]);
      expect(await read()).toEqual(before);
      await countUntil("2026-03-01");
      await countAll();
      expect(await read()).toEqual(before);
    },
  );
});

describe("is_behind", () => {
  it("is so where more came than can be worked out while someone waits, and then it is left out", async () => {
    expect(await value("select is_behind()")).toBe(false);
    await rows("set local session_replication_role = replica");
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      select 1, 'viewed', 'course', 1, '2026-03-02Z' from generate_series(1, 100001)`);
    expect(await value("select is_behind()")).toBe(true);
    expect([await activity(), await answers()]).toEqual([[], []]);
    await countUntil("2026-03-03");
    expect(await value("select is_behind()")).toBe(false);
  });

  it("is so where many trees are to be looked at", async () => {
    await rows("insert into stale_trees (course_offering_id) select 1 from generate_series(1, 200)");
    expect(await value("select is_behind()"), "however often a course is noted").toBe(false);
    await rows("set local session_replication_role = replica");
    await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id)
      select number, 1, 1 from generate_series(1, 501) as number`);
    expect(await value("select is_behind()")).toBe(true);
  });
});
