import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { staleProgressCorrectionsSql } from "../../../../lib/operations/analytics/interrupted-progress.ts";
import { activityOutsideWholeMonthsSql } from "../../../../lib/operations/analytics/monthly-activity.ts";
import { activityDaysInPeriodSql } from "../../../../lib/operations/analytics/totals.ts";
import { countedFacts, newAnswers } from "../../../support/report-rows.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { column, rows, value, sumsOf } = openSession();

/* Ada takes course 1, views it on two days a week apart, and asks its tutor once on each; ids begin at 1. */
beforeEach(async () => {
  await rows(
    "insert into enrollments (user_id, course_offering_id, status, dropped_at) values (1, 1, 'dropped', '2026-03-04')",
  );
  await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at) values
    (1, 'asked', 'content_item', 1, 1, '2026-03-01T10:00Z'), (1, 'asked', 'content_item', 1, 1, '2026-03-09T10:00Z')`);
  await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, created_at)
    overriding system value values (1, 1, 1, '{}', 'content', 'content', '2026-03-01')`);
  await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at) values
    (1, 'assistant', 'Hello.', '{"source": "cache"}', true, '2026-03-01T10:00Z'),
    (1, 'assistant', 'Yes.', '{"source": "llm"}', true, '2026-03-09T10:00Z')`);
  await countUntil("2026-03-01");
});

const countUntil = (day: string) =>
  rows(`update scheduled_tasks set begun_at = '${day}Z', reached_at = null where name = 'count'`);

/** Counts all finished days in steps of so many rows; returns the number of steps. */
const countAll = async (most = 1000) => {
  let steps = 1;
  while (await value(`select aggregate_daily_activity_and_answers(${most}::integer)`)) steps++;
  return steps;
};

const untilDay = () => value("select utc_day(daily_aggregates_counted_until())::text");

/** Active users by day, and answers by day. */
const activity = () => rows("select day::text, user_id, questions from activity order by 1, 2");
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

describe("aggregate_daily_activity_and_answers", () => {
  it("counts so many rows at a time, and leaves the figures unchanged", async () => {
    const seen: unknown[] = [];
    do seen.push(await untilDay(), await activity(), await answers());
    while (await value("select aggregate_daily_activity_and_answers(1)"));
    expect(new Set(seen.filter((day) => typeof day === "string")).size).toBeGreaterThan(2);
    expect(seen.filter((read) => typeof read !== "string")).toEqual(
      Array.from({ length: seen.length / 3 }, () => [ofAda, given]).flat(),
    );
    expect(await value("select count(*)::int from activity_days")).toBe(2);
  });

  it.each([1, 2, 3, 7, 100])("counts a day in steps of %i rows as it does in one", async (most) => {
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at)
      select 1 + number % 2, case number % 5 when 0 then 'asked' else 'viewed' end, 'content_item', 1, 1,
             timestamptz '2026-03-02T23:00Z' + number * interval '7 minutes'
      from generate_series(1, 20) as number`);
    await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
      select 1, 'assistant', 'Yes.', '{"source": "cache"}', true, timestamptz '2026-03-02T23:00Z' + number * interval '7 minutes'
      from generate_series(1, 20) as number`);
    const kept = `select day::text, user_id, content_item_id, course_id, milliseconds, questions from activity_days order by 1, 2`;
    const sums = `select measure, day::text, amount::int from report_totals order by 1, 2`;
    await countAll(1_000_000);
    const whole = [await rows(kept), await rows(sums)];
    await countUntil("2026-03-01");
    expect(await countAll(most)).toBeGreaterThan(most < 10 ? 5 : 1);
    expect([await rows(kept), await rows(sums)]).toEqual(whole);
    expect(whole[0]).toContainEqual({
      day: "2026-03-03",
      user_id: 1,
      content_item_id: 1,
      course_id: 1,
      milliseconds: 6 * 14 * 60_000,
      questions: 2,
    });
  });

  it("counts no day before it is over for three hours", async () => {
    await rows(`create or replace function service_now() returns timestamptz language sql stable
      as $$ select timestamptz '2026-03-10T02:59Z' $$`);
    await countAll();
    expect(await untilDay()).toBe("2026-03-09");
    await rows(`create or replace function service_now() returns timestamptz language sql stable
      as $$ select timestamptz '2026-03-10T03:00Z' $$`);
    await countAll();
    expect(await untilDay()).toBe("2026-03-10");
    expect([await activity(), await answers()]).toEqual([ofAda, given]);
  });

  it("counts days again when the clock is set back", async () => {
    await countAll();
    await rows(`create or replace function service_now() returns timestamptz language sql stable
      as $$ select timestamptz '2026-03-08T12:00Z' $$`);
    await countAll();
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      values (2, 'viewed', 'course', 1, service_now())`);
    expect(await activity()).toContainEqual({ day: "2026-03-08", user_id: 2, questions: 0 });
    expect(await activity()).toHaveLength(3);
  });
});

describe("count_day_of_late_row_again", () => {
  const event = (moment: string) =>
    rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      values (2, 'viewed', 'course', 1, ${moment})`);

  it("counts late events of a counted day immediately, and none of the later days again", async () => {
    await countAll();
    const all = await untilDay();
    await event("service_now() - interval '59 minutes'");
    await event("'2026-03-20'");
    await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
      values (1, 'assistant', 'Hm.', '{"source": "cache"}', true, '2026-03-05T10:00Z')`);
    await event("'2026-03-06'");
    const [now, also] = [await activity(), await answers()];
    expect(await untilDay()).toBe(all);
    expect(also).toContainEqual({ measure: "hits", day: "2026-03-05", amount: 1 });
    expect(now.map(({ day }) => day).slice(0, 4)).toEqual([
      "2026-03-01",
      "2026-03-06",
      "2026-03-09",
      "2026-03-20",
    ]);
    await countUntil("2026-03-01");
    await countAll();
    expect([await activity(), await answers(), await untilDay()]).toEqual([now, also, all]);
  });

  it("counts the time on a topic between earlier events, also across midnight", async () => {
    const [first, late, last] = ["2026-03-20T23:50Z", "2026-03-20T23:59Z", "2026-03-21T00:09Z"];
    const seen = (moment: string) =>
      rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at)
        values (2, 'viewed', 'content_item', 1, 1, '${moment}')`);
    const times = () =>
      rows("select day::text, milliseconds from activity_days where user_id = 2 order by 1");
    await seen(first);
    await seen(last);
    await countAll();
    expect(await times()).toEqual([
      { day: "2026-03-20", milliseconds: 0 },
      { day: "2026-03-21", milliseconds: 19 * 60_000 },
    ]);
    await seen(late);
    expect(await times()).toEqual([
      { day: "2026-03-20", milliseconds: 9 * 60_000 },
      { day: "2026-03-21", milliseconds: 10 * 60_000 },
    ]);
  });

  it("leaves uncounted events to the next step, also in a partly counted day", async () => {
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at)
      select 1, 'asked', 'content_item', 1, 1, timestamptz '2026-03-02' + number * interval '1 hour'
      from generate_series(1, 20) as number`);
    while (
      (await value(
        "select reached_at < '2026-03-02T10:00Z' or reached_at is null from scheduled_tasks where name = 'count'",
      )) as boolean
    )
      await value("select aggregate_daily_activity_and_answers(2)");
    expect(await untilDay()).toBe("2026-03-02");
    await event("'2026-03-02T05:00Z'");
    await event("'2026-03-02T19:30Z'");
    const now = await activity();
    expect(now.filter(({ day, user_id }) => day === "2026-03-02" && user_id === 2)).toHaveLength(1);
    await countAll(2);
    expect(await activity()).toEqual(now);
  });
});

describe("a step of counting", () => {
  beforeEach(() =>
    rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      select 2, 'viewed', 'course', 1, timestamptz '2026-03-15T10:00Z' + number * interval '1 second'
      from generate_series(0, 99) as number`),
  );

  const end = (first: string, past: string, most: number) =>
    value(`select end_of_next_counting_step('${first}', '${past}', ${most}, false)::text`);

  it("reads events and messages of a time, and few more than requested", async () => {
    const between = (last: string, most: number) =>
      value(`select capped_count_of_events_and_messages('2026-03-09T00:00Z', '${last}', ${most})`);
    expect(await between("2026-03-09T10:00Z", 50)).toBe(0);
    expect(await between("2026-03-10Z", 50)).toBe(2);
    expect(await between("2026-03-16Z", 50)).toBe(52);
  });

  it("ends at the limit of rows, or at an unfinished day, and splits no moment", async () => {
    expect(await end("2026-03-15Z", "2026-03-20Z", 1000)).toBe("2026-03-20 00:00:00+00");
    const first = "2026-03-15T10:00:00Z";
    const reached = Date.parse(String(await end(first, "2026-03-20Z", 20)));
    expect(reached - Date.parse(first)).toBeGreaterThanOrEqual(10_000);
    expect(reached - Date.parse(first)).toBeLessThanOrEqual(20_000);
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      select 2, 'viewed', 'course', 1, '${first}' from generate_series(1, 50)`);
    expect(await end(first, "2026-03-20Z", 20)).toBe("2026-03-15 10:00:00.001+00");
  });

  const reached = () =>
    value(
      "select moment_reached_by_counting_task(task)::text from scheduled_tasks as task where name = 'count'",
    ) as Promise<string>;

  it("adds to the totals of its first day", async () => {
    await rows(
      "update scheduled_tasks set begun_at = '2026-03-15Z', reached_at = '2026-03-15T09:00Z' where name = 'count'",
    );
    const steps = new Set<string>();
    while ((await reached()) < "2026-03-16") {
      await value("select aggregate_daily_activity_and_answers(30)");
      steps.add(await reached());
    }
    expect(steps.size).toBeGreaterThan(2);
    expect(await rows("select day::text, user_id, questions from activity_days")).toEqual([
      { day: "2026-03-15", user_id: 2, questions: 0 },
    ]);
  });

  it("ends at a moment of the next day to count, or at a midnight from which on everything is recounted", async () => {
    await countAll();
    await countUntil("2026-03-15");
    expect(await reached()).toBe("2026-03-15 00:00:00+00");
    while ((await reached()) === "2026-03-15 00:00:00+00")
      await value("select aggregate_daily_activity_and_answers(30)");
    expect(await reached()).toMatch(/^2026-03-15 (08|09|10):/);
    await rows("update scheduled_tasks set begun_at = '2026-03-03Z' where name = 'count'");
    expect(await reached()).toBe("2026-03-03 00:00:00+00");
  });

  it("deletes totals of later days before their recount, so many rows at a time", async () => {
    await countAll();
    const kept = "select count(*)::int from activity_days";
    const all = Number(await value(kept));
    await countUntil("2026-03-02");
    expect(await value("select aggregate_daily_activity_and_answers(1)")).toBe(true);
    expect(await value(kept)).toBe(all - 1);
    while ((await value("select reached_at from scheduled_tasks where name = 'count'")) === null)
      await value("select aggregate_daily_activity_and_answers(1)");
    expect(await rows("select day::text from activity_days")).toEqual([{ day: "2026-03-01" }]);
    expect(await rows("select day::text from report_totals where not is_kept")).toEqual([
      { day: "2026-03-01" },
    ]);
  });
});

describe("add_deleted_conversation_to_totals", () => {
  it.each(["2026-03-01", "2026-03-08", "2026-03-22"])(
    "keeps the counts of a deleted conversation, if days are counted until %s",
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
            union all select measure, amount from enrollment_facts
            union all select measure, amount from community_facts
            union all select measure, amount from conversation_facts) as one
      group by 1 having sum(amount) <> 0 order by 1`),
  ];

  it.each(["2026-03-01", "2026-03-08", "2026-03-22"])(
    "keeps its counts under its number, if days are counted until %s",
    async (day) => {
      await rows("insert into notes (user_id, content_item_id, body) values (1, 1, 'Mine')");
      await countAll();
      await countUntil(day);
      const before = await read();
      expect(before[2]).toContainEqual({ measure: "notes", amount: 1 });
      expect(await erase()).toBe(true);
      expect(await read()).toEqual(before);
      while (await value("select process_next_account_erasure_step('2026-03-21T10:05Z', 50)"));
      expect(await rows("select from notes union all select from chat_sessions")).toEqual([]);
      expect(await read()).toEqual(before);
      await countUntil("2026-03-01");
      await countAll();
      expect(await read()).toEqual(before);
    },
  );
});

/* The backlog is too large for a request, so reports omit it. */
const doMuch = (university: number | null) =>
  rows(`insert into activity_events (user_id, verb, object_type, object_id, university_id, occurred_at)
    select 1, 'viewed', 'course', 1, ${university}, '2026-03-02Z' from generate_series(1, 100001)`);

describe("has_too_much_uncounted_activity", () => {
  it("is true if the backlog is too large for a request, and the data is then omitted", async () => {
    expect(await value("select has_too_much_uncounted_activity(null)")).toBe(false);
    await rows("set local session_replication_role = replica");
    await doMuch(null);
    expect(await value("select has_too_much_uncounted_activity(null)")).toBe(true);
    expect([await activity(), await answers()]).toEqual([[], given]);
    await countUntil("2026-03-03");
    expect(await value("select has_too_much_uncounted_activity(null)")).toBe(false);
  });

  it("is true if many trees are stale", async () => {
    await rows("insert into stale_trees select 1, 1 from generate_series(1, 200)");
    expect(
      await value("select has_too_much_uncounted_activity(null)"),
      "however often a person is noted",
    ).toBe(false);
    await rows("insert into stale_trees select 1, number from generate_series(1, 501) as number");
    expect(await value("select has_too_much_uncounted_activity(null)")).toBe(true);
  });

  it("is true of answers after many messages, regardless of other activity", async () => {
    await rows("set local session_replication_role = replica");
    await rows(`insert into chat_messages (session_id, role, content, meta, created_at)
      select 1, 'user', 'A', '{}', '2026-03-02Z' from generate_series(1, 100001)`);
    expect(await value("select has_too_many_uncounted_answers(null)")).toBe(true);
    expect([await activity(), await answers()]).toEqual([ofAda, []]);
  });
});

describe("answers of a university that are not counted yet", () => {
  const asked = (at: string, university = 1) =>
    rows(`insert into activity_events (user_id, university_id, verb, object_type, object_id, content_item_id, occurred_at)
      select user_id, ${university}, 'asked', 'content_item', content_item_id, content_item_id, '${at}'
      from chat_sessions where id = 1`);
  const answered = (at: string) =>
    rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
      values (1, 'assistant', 'A', '{"source": "cache"}', true, '${at}')`);
  const of = (university: number | null) =>
    column(
      `select utc_day(moment)::text from uncounted_answers_unless_too_many(${university}) where measure = 'hits' order by 1`,
    );

  beforeEach(async () => {
    await countAll();
    await countUntil("2026-03-05");
    await rows("set local session_replication_role = replica");
    await rows("delete from chat_messages; delete from activity_events");
    // Asked before midnight, and answered after it.
    await asked("2026-03-04T23:59Z");
    await answered("2026-03-05T00:01Z");
  });

  it("include those asked there, also just before those days", async () => {
    await answered("2026-03-04T12:00Z");
    expect([await of(null), await of(1), await of(2)]).toEqual([["2026-03-05"], ["2026-03-05"], []]);
  });

  it("are behind for the messages there, and for no others", async () => {
    const behind = async () => [
      await value("select has_too_many_uncounted_answers(null)"),
      await value("select has_too_many_uncounted_answers(1)"),
    ];
    await rows(`insert into chat_messages (session_id, role, content, meta, created_at)
      select 999, 'user', 'A', '{}', '2026-03-05Z' from generate_series(1, 100001)`);
    expect(await behind()).toEqual([true, false]);
    expect([await of(null), await of(1)]).toEqual([[], ["2026-03-05"]]);
    await rows(`insert into activity_events (user_id, university_id, verb, object_type, object_id, occurred_at)
      select 1, 1, 'asked', 'content_item', 1, '2026-03-05Z' from generate_series(1, 100001)`);
    expect(await behind()).toEqual([true, true]);
    expect(await of(1)).toEqual([]);
  });
});

describe("has_too_much_uncounted_activity of a course", () => {
  const march = { date_from: "2026-03-01", date_to: "2026-03-31" };
  const ofCourse = () =>
    rows(
      `select day::text, user_id, questions from ${textOf(activityDaysInPeriodSql({ course_id: 1, period: march }))} order by 1, 2`,
    );

  beforeEach(async () => {
    await rows("set local session_replication_role = replica");
    await rows("update activity_events set university_id = (select university_id from courses where id = 1)");
  });

  it("is false after activity at another university, which is still read", async () => {
    await doMuch(999);
    expect(await value("select has_too_much_uncounted_activity(null)")).toBe(true);
    expect(await value("select has_too_much_uncounted_activity(1::integer)")).toBe(false);
    expect(await ofCourse()).toEqual(ofAda);
    expect(
      await rows(`with whole as (select date '2026-03-01' as first, date '2026-03-01' as past)
        select day::text, user_id, questions from ${textOf(activityOutsideWholeMonthsSql({ course_id: 1, ...march }))} order by 1`),
    ).toEqual(ofAda);
  });

  it("is true after activity at its own, which is then omitted", async () => {
    await doMuch((await value("select university_id from courses where id = 1")) as number);
    expect(await value("select has_too_much_uncounted_activity(1)")).toBe(true);
    expect(await ofCourse()).toEqual([]);
  });

  it("is not so for trees of other courses", async () => {
    await rows("insert into stale_trees select 999, number from generate_series(1, 6000) as number");
    expect(await value("select has_too_much_uncounted_activity(null)")).toBe(true);
    expect(await value("select has_too_much_uncounted_activity(1)")).toBe(false);
    await rows("insert into stale_trees select 1, number from generate_series(1, 501) as number");
    expect(await value("select has_too_much_uncounted_activity(1)")).toBe(true);
  });

  it("reads no tree while it is true", async () => {
    await rows(`insert into course_trees
      select 1, number, 1, null, '2026-03-01', '{[2026-03-01,2026-03-15)}' from generate_series(1, 3) as number`);
    await rows("insert into stale_trees values (1, 1), (1, 1), (1, 3), (999, 1)");
    const changed = (of: number | undefined) =>
      rows(sql`select (tree).user_id, sign from ${staleProgressCorrectionsSql(of)} order by 1`);
    const gone = [1, 3].map((user_id) => ({ user_id, sign: -1 }));
    expect([await changed(1), await changed(undefined), await changed(2)]).toEqual([gone, gone, []]);
    await rows("insert into stale_trees select 1, number from generate_series(1, 501) as number");
    expect(await changed(1)).toEqual([]);
  });
});

describe("the data of a course or a university", () => {
  beforeEach(async () => {
    await rows("set local session_replication_role = replica");
    await rows(
      "update activity_events set university_id = 1 where id = (select min(id) from activity_events)",
    );
  });

  const daysIn = (call: string) => rows(`select day::text, user_id, questions from ${call} order by 1, 2`);

  it("daily_activity_between has everything between two moments (timestamptz), or at one university", async () => {
    expect(await daysIn("daily_activity_between('2026-03-01Z', '2026-04-01Z', null)")).toEqual(ofAda);
    expect(await daysIn("daily_activity_between('2026-03-01Z', '2026-04-01Z', 1)")).toEqual(
      ofAda.slice(0, 1),
    );
    expect(await daysIn("daily_activity_between('2026-03-02Z', '2026-04-01Z', 1)")).toEqual([]);
  });

  it("uncounted_daily_activity_unless_too_much has activity since the counted days, and daily_activity_of_university counted days too", async () => {
    expect(await daysIn("uncounted_daily_activity_unless_too_much(null)")).toEqual(ofAda);
    expect(await daysIn("uncounted_daily_activity_unless_too_much(1)")).toEqual(ofAda.slice(0, 1));
    const ofUniversity = (university = 1, from = "2026-03-01") =>
      daysIn(`daily_activity_of_university(${university}, '${from}', '2026-03-31')`);
    expect(await ofUniversity()).toEqual(ofAda.slice(0, 1));
    await rows("update activity_events set university_id = 1");
    await countAll();
    expect(await daysIn("uncounted_daily_activity_unless_too_much(null)")).toEqual([]);
    expect(await ofUniversity()).toEqual(ofAda);
    expect(await ofUniversity(1, "2026-03-02")).toEqual(ofAda.slice(1));
    expect(await ofUniversity(2)).toEqual([]);
  });

  it("stale_course_trees have who is to be looked at in one course, as often as they were noted", async () => {
    await rows("insert into stale_trees values (1, 1), (1, 1), (2, 1)");
    expect(
      await rows("select course_offering_id, user_id from stale_course_trees where course_id = 1"),
    ).toEqual([1, 1].map((user_id) => ({ course_offering_id: 1, user_id })));
    expect(await rows("select * from stale_course_trees")).toHaveLength(3);
  });
});
