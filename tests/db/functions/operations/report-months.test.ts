import { beforeEach, expect, it } from "vitest";
import {
  activityOutsideWholeMonthsSql,
  monthlyActivityUntilSql,
} from "../../../../lib/operations/analytics/monthly-activity.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

/*
 * Ada views topic 1 in March and May, with a question in May, and topic 2 in May; Ben views a course in May,
 * without a topic.
 */
beforeEach(async () => {
  await rows(`
    update scheduled_tasks set begun_at = '2026-06-02Z', reached_at = '2026-06-02Z' where name = 'count';
    insert into activity_days (day, user_id, content_item_id, course_id, milliseconds, questions) values
      ('2026-03-30', 1, 1, 1, 1000, 0), ('2026-03-31', 1, 1, 1, 2000, 0), ('2026-05-01', 1, 1, 1, 4000, 2),
      ('2026-05-01', 1, 2, 1, 8000, 0), ('2026-05-20', 2, null, 2, 0, 0), ('2026-06-01', 2, null, 2, 0, 0)`);
});

const countAll = async () => {
  let steps = 0;
  while (await value("select aggregate_monthly_activity(20)")) steps += 1;
  return steps;
};
const sums = () =>
  rows(`
    select measure, course_id, to_char(month, 'MM') as month, to_char(since, 'MM') as since, sum(amount)::int as amount
    from report_months where measure not like '%people_by_day' group by 1, 2, 3, 4 having sum(amount) <> 0
    order by month, measure collate "C", since, course_id`);

const line = (
  month: string,
  measure: string,
  course_id: number | null,
  since: string | null,
  amount: number,
) => ({
  measure,
  course_id,
  month,
  since,
  amount,
});

it("aggregate_monthly_activity counts finished months, and stores each person's previous month", async () => {
  expect(await value(`select (${textOf(monthlyActivityUntilSql)})::text`)).toBe("1970-01-01");
  expect(await countAll()).toBeGreaterThan(5);
  expect(await value(`select (${textOf(monthlyActivityUntilSql)})::text`)).toBe("2026-06-01");
  expect(await sums()).toEqual([
    line("03", "all_milliseconds", null, null, 3000),
    line("03", "all_people", null, null, 1),
    line("03", "all_topics", null, null, 1),
    line("03", "milliseconds", 1, null, 3000),
    line("03", "people", 1, null, 1),
    line("03", "topics", 1, null, 1),
    line("03", "university_people", null, null, 1),
    line("05", "all_askers", null, null, 1),
    line("05", "all_milliseconds", null, null, 12_000),
    line("05", "all_people", null, "03", 1),
    line("05", "all_people", null, null, 1),
    line("05", "all_questions", null, null, 2),
    line("05", "all_topics", null, "03", 1),
    line("05", "all_topics", null, null, 1),
    line("05", "askers", 1, null, 1),
    line("05", "milliseconds", 1, null, 12_000),
    line("05", "people", 1, "03", 1),
    line("05", "people", 2, null, 1),
    line("05", "questions", 1, null, 2),
    line("05", "topics", 1, "03", 1),
    line("05", "topics", 1, null, 1),
    line("05", "university_people", null, "03", 1),
    line("05", "university_people", null, null, 1),
  ]);
  const byDay = (measure: string) =>
    rows(`select since::text as day, university_id, amount::int from report_months
      where measure = '${measure}' order by 1`);
  const days = ["2026-03-30", "2026-03-31", "2026-05-01", "2026-05-20"];
  expect(await byDay("people_by_day")).toEqual(days.map((day) => ({ day, university_id: null, amount: 1 })));
  expect(await byDay("university_people_by_day")).toEqual(
    days.map((day) => ({ day, university_id: 1, amount: 1 })),
  );
});

it("aggregate_monthly_activity counts an erased person whose only day is the first of a month", async () => {
  await rows(
    "insert into activity_days (day, user_id, content_item_id, course_id, milliseconds, questions) values ('2026-04-01', -7, 1, 1, 500, 0)",
  );
  await countAll();
  expect(await sums()).toContainEqual(line("04", "people", 1, null, 1));
});

it("count_day_of_late_row_again changes the previous month after a late event", async () => {
  await countAll();
  await rows(`
    insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at)
    values (1, 'asked', 'content_item', 2, 2, '2026-04-10T10:00Z')`);
  const changed = (await sums()).filter(({ month, since }) => month === "04" || since === "04");
  expect(changed.map(({ measure, month, since }) => [month, measure, since])).toEqual([
    ["04", "all_askers", null],
    ["04", "all_people", "03"],
    ["04", "all_questions", null],
    ["04", "all_topics", null],
    ["04", "askers", null],
    ["04", "people", "03"],
    ["04", "questions", null],
    ["04", "topics", null],
    ["04", "university_people", "03"],
    ["05", "all_people", "04"],
    ["05", "all_topics", "04"],
    ["05", "people", "04"],
    ["05", "topics", "04"],
    ["05", "university_people", "04"],
  ]);
});

it("and leaves everything unchanged without changes", async () => {
  await countAll();
  const look = () =>
    rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at)
      values (1, 'viewed', 'content_item', 2, 2, '2026-04-10T10:00Z')`);
  await look();
  const before = await sums();
  expect(before.some(({ month }) => month === "04")).toBe(true);
  await look();
  expect(await sums()).toEqual(before);
});

it("aggregate_monthly_activity forgets a month and those after it, some at a time, and they are counted anew", async () => {
  await countAll();
  const before = await sums();
  await rows("update counted_months set until = '2026-05-01', people_to = -2147483648");
  const left = () => value("select count(*)::int from report_months where month >= '2026-05-01'");
  const first = Number(await left());
  await value("select aggregate_monthly_activity(3)");
  expect(await left()).toBe(first - 3);
  while (Number(await left()) > 0) await value("select aggregate_monthly_activity(3)");
  expect((await sums()).every(({ month }) => month === "03")).toBe(true);
  await countAll();
  expect(await sums()).toEqual(before);
});

it("insert_monthly_activity_of_people has a row for each person, topic and month, and monthly_activity_sums what it comes to", async () => {
  await rows("select insert_monthly_activity_of_people('{1}', '2026-03-01', '2026-04-01')");
  expect(
    await rows("select content_item_id, course_id, milliseconds::int from activity_months order by 1"),
  ).toEqual([
    { content_item_id: 1, course_id: 1, milliseconds: 3000 },
    { content_item_id: null, course_id: 1, milliseconds: 0 },
  ]);
  const sum =
    "select amount::int from monthly_activity_sums('{1}', '2026-03-01', '2026-04-01') where measure = 'milliseconds'";
  expect(await value(sum)).toBe(3000);
});

it("aggregate_monthly_activity adds once to a sum of which several rows are there, as where something was told late meanwhile", async () => {
  await rows(`
    insert into counted_months select '2026-03-01', 0;
    insert into report_months (measure, course_id, month, amount) values
      ('milliseconds', 1, '2026-03-01', 5), ('milliseconds', 1, '2026-03-01', -2)`);
  await value("select aggregate_monthly_activity(20)");
  expect(await value("select sum(amount)::int from report_months where measure = 'milliseconds'")).toBe(3003);
});

it("activityOutsideWholeMonthsSql has the days of a period that lie around its whole months", async () => {
  expect(
    await rows(`
      with whole as (select date '2026-04-01' as first, date '2026-06-01' as past)
      select day::text from ${textOf(activityOutsideWholeMonthsSql({ date_from: "2026-03-31", date_to: "2026-06-01" }))} order by 1`),
  ).toEqual([{ day: "2026-03-31" }, { day: "2026-06-01" }]);
});
