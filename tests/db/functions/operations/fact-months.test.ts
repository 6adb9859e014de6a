import { beforeEach, expect, it } from "vitest";
import { monthlyTotalsUntilSql } from "../../../../lib/operations/analytics/monthly-totals.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

/*
 * Ada begins two topics in March, and completes one in April; Ben begins and completes one in May, and
 * another in June, which is not over. Ada's conversation of the last minutes of March continues in April,
 * with an aside; another one has no messages.
 */
beforeEach(async () => {
  await rows(`
    update scheduled_tasks set begun_at = '2026-06-02Z', reached_at = '2026-06-02Z' where name = 'count';
    insert into user_content_progress (user_id, course_offering_id, content_item_id, first_started_at, completed_at) values
      (1, 1, 1, '2026-03-30T23:00Z', '2026-04-02T10:00Z'), (1, 1, 2, '2026-03-31T10:00Z', null),
      (2, 1, 1, '2026-05-05T10:00Z', '2026-05-06T10:00Z'), (2, 1, 2, '2026-06-01T10:00Z', '2026-06-01T11:00Z');
    insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, created_at, aside_of_id)
      overriding system value values
      (1, 1, 1, '{}', 'c', 'c', '2026-03-31T23:50Z', null), (2, 1, 1, '{}', 'c', 'c', '2026-03-31T23:55Z', 1),
      (3, 1, 1, '{}', 'c', 'c', '2026-05-10T10:00Z', null);
    insert into chat_messages (session_id, role, content, created_at) values
      (1, 'user', 'Why?', '2026-03-31T23:50Z'), (1, 'user', 'And?', '2026-03-31T23:58Z'),
      (2, 'user', 'Beside it', '2026-03-31T23:56Z'), (1, 'user', 'Then?', '2026-04-01T00:10Z');
    insert into llm_calls (university_id, course_id, started_at, model, reserved_tokens, purpose, input_tokens, cost_micros) values
      (1, 1, '2026-03-15T10:00Z', 'm', 0, 'turn', 10, 500), (1, null, '2026-03-16T10:00Z', 'm', 0, 'embedding', 4, 7),
      (1, 1, '2026-03-16T11:00Z', 'm', 0, 'trial', 99, 99), (1, 1, '2026-05-01T10:00Z', 'm', 0, 'turn', 20, null);
    insert into report_totals (measure, course_id, day, amount, is_kept) values
      ('hits', 1, '2026-03-31', 3, false), ('joined', 1, '2026-05-31', 2, true), ('joined', 1, '2026-06-01', 5, true)`);
});

const countAll = async (most = 1000) => {
  let steps = 0;
  while (await value(`select aggregate_monthly_progress_and_tutor_use(${most})`)) steps += 1;
  return steps;
};

const facts = async () =>
  (
    await rows(`
      select measure, course_id, to_char(month, 'MM') as month, to_char(since, 'MM') as since, amount::float8 as amount
      from fact_months where amount <> 0 order by measure collate "C", month, since, course_id`)
  ).map((row) => Object.values(row).join(" "));
const months = async () =>
  (
    await rows(`
      select university_id, course_id, to_char(month, 'MM'), calls, priced_calls, hits, joined, input_tokens, cost_micros
      from tutor_report_months order by month, course_id`)
  ).map((row) => Object.values(row).join(" "));
const days = async () =>
  (
    await rows(`
      select university_id, to_char(day, 'MM-DD'), calls, priced_calls, hits, joined, input_tokens, cost_micros
      from tutor_report_days order by day`)
  ).map((row) => Object.values(row).join(" "));
const everything = async () => ({ facts: await facts(), months: await months(), days: await days() });

/** The same after a full recount. */
async function countedAnew() {
  await rows("update counted_facts set until = '1970-01-01', reached_at = null");
  await countAll();
  return everything();
}

it("aggregate_monthly_progress_and_tutor_use counts the months that are over, in however many steps", async () => {
  expect(await value(`select (${textOf(monthlyTotalsUntilSql)})::text`)).toBe("1970-01-01");
  await countAll();
  expect(await value(`select (${textOf(monthlyTotalsUntilSql)})::text`)).toBe("2026-06-01");
  const counted = await everything();
  expect(counted).toEqual({
    facts: [
      "conversation_milliseconds 1 03 03 1200000",
      "conversations 1 03 03 1",
      "topics_completed 1 04 03 1",
      "topics_completed 1 05 05 1",
      "topics_started 1 03 03 2",
      "topics_started 1 05 05 1",
    ],
    months: ["1 0 03 0 0 0 0 4 7", "1 1 03 1 1 3 0 10 500", "1 1 05 1 0 0 2 20 0"],
    days: [
      "1 03-15 1 1 0 0 10 500",
      "1 03-16 0 0 0 0 4 7",
      "1 03-31 0 0 3 0 0 0",
      "1 05-01 1 0 0 0 20 0",
      "1 05-31 0 0 0 2 0 0",
    ],
  });
  await rows("update counted_facts set until = '1970-01-01', reached_at = null");
  expect(await countAll(1)).toBeGreaterThan(12);
  expect(await everything()).toEqual(counted);
});

it("aggregate_monthly_progress_and_tutor_use counts a conversation in the first moment of a month once", async () => {
  await rows(`
    insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, created_at)
      overriding system value values (4, 1, 1, '{}', 'c', 'c', '2026-05-01Z');
    insert into chat_messages (session_id, role, content, created_at) values (4, 'user', 'Why?', '2026-05-01Z')`);
  await countAll();
  expect(await facts()).toContain("conversations 1 05 05 1");
});

it("user_content_progress_after_write moves what is written late, and takes away what goes", async () => {
  await countAll();
  await rows(`
    update user_content_progress set completed_at = '2026-05-07T10:00Z' where (user_id, content_item_id) = (1, 2);
    update user_content_progress set completed_at = null where (user_id, content_item_id) = (1, 1);
    update user_content_progress set first_started_at = '2026-04-05T10:00Z' where (user_id, content_item_id) = (2, 1);
    delete from user_content_progress where (user_id, content_item_id) = (2, 2);
    insert into user_content_progress (user_id, course_offering_id, content_item_id, first_started_at, completed_at)
    values (3, 2, 1, '2026-03-01T10:00Z', '2026-05-01T10:00Z')`);
  const changed = await everything();
  expect(changed.facts.filter((fact) => fact.startsWith("topics"))).toEqual([
    "topics_completed 1 05 03 1",
    "topics_completed 2 05 03 1",
    "topics_completed 1 05 04 1",
    "topics_started 1 03 03 2",
    "topics_started 2 03 03 1",
    "topics_started 1 04 04 1",
  ]);
  expect((await countedAnew()).facts.toSorted()).toEqual(changed.facts.toSorted());
});

it("count_day_of_late_row_again lengthens a conversation, add_or_subtract_conversation_in_months takes away one that goes", async () => {
  await countAll();
  await rows(`
    insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
    values (1, 'assistant', 'Late', '{"source": "cache"}', true, '2026-04-01T00:50Z')`);
  const longer = await everything();
  expect(longer.facts).toContain("conversation_milliseconds 1 03 03 3600000");
  expect(longer.months).toContain("1 1 04 0 0 1 0 0 0");
  expect(longer.days).toContain("1 04-01 0 0 1 0 0 0");
  expect(await countedAnew()).toEqual(longer);
  await rows("delete from chat_sessions where id = 1");
  const gone = await everything();
  expect(gone.facts.some((fact) => fact.startsWith("conversation"))).toBe(false);
  // The tutor's report keeps its counts.
  expect(gone.months).toEqual(longer.months);
  expect(await countedAnew()).toEqual(gone);
  const kept = await rows(
    "select measure, sum(amount)::int as amount from report_totals where is_kept and measure like 'conversation%' group by 1 order by 1",
  );
  expect(kept).toEqual([
    { measure: "conversation_milliseconds", amount: 3_600_000 },
    { measure: "conversations", amount: 1 },
  ]);
});

it("add_late_call_to_monthly_sums counts a late call, and a late usage, with add_tutor_usage_to_days_and_months", async () => {
  await countAll();
  await rows(`
    insert into llm_calls (university_id, course_id, started_at, model, reserved_tokens, cost_micros, purpose) values
      (1, 2, '2026-04-30T23:59Z', 'm', 0, 11, 'warm'), (1, 2, '2026-04-30T23:59Z', 'm', 0, 11, 'trial');
    update llm_calls set cost_micros = 900, input_tokens = 25 where started_at = '2026-05-01T10:00Z'`);
  const told = await everything();
  expect(told.months).toContain("1 2 04 1 1 0 0 0 11");
  expect(told.months).toContain("1 1 05 1 1 0 2 25 900");
  expect(told.days).toContain("1 04-30 1 1 0 0 0 11");
  expect(await countedAnew()).toEqual(told);
});

it("aggregate_monthly_progress_and_tutor_use deletes some of each at a time, and a recount of days recounts the months", async () => {
  await countAll();
  await rows("update counted_facts set until = '1970-01-01', reached_at = null");
  expect(await value("select aggregate_monthly_progress_and_tutor_use(2)")).toBe(true);
  expect(await value("select count(*)::int from fact_months")).toBe(4);
  const counted = await countedAnew();
  const days = (begun: string, reached: string) =>
    rows(`update scheduled_tasks set begun_at = ${begun}, reached_at = ${reached} where name = 'count'`);
  await days("'2026-05-10Z'", "null");
  await rows("select aggregate_daily_activity_and_answers(10)");
  expect(await value(`select (${textOf(monthlyTotalsUntilSql)})::text`)).toBe("1970-01-01");
  await days("'2026-06-02Z'", "'2026-06-02Z'");
  await countAll();
  expect(await everything()).toEqual(counted);
});

it("conversation_counts_and_durations_between, daily_tutor_usage_between and capped_count_of_monthly_source_rows filter by the given times", async () => {
  expect(
    await rows(
      "select measure, amount::int from conversation_counts_and_durations_between('2026-04-01Z', '2026-05-01Z') order by 1",
    ),
  ).toEqual([{ measure: "conversation_milliseconds", amount: 720_000 }]);
  expect(
    await rows(
      "select day::text, calls::int from daily_tutor_usage_between('2026-03-16Z', '2026-03-31Z') order by 1",
    ),
  ).toEqual([{ day: "2026-03-16", calls: 0 }]);
  expect(await value("select capped_count_of_monthly_source_rows('2026-03-30Z', '2026-04-01Z', 10)")).toBe(5);
  expect(await value("select capped_count_of_monthly_source_rows('2026-03-30Z', '2026-04-01Z', 1)")).toBe(4);
  expect(await value("select utc_month('2026-03-31T23:59Z')::text")).toBe("2026-03-01");
  await rows("select add_to_monthly_measure_sum('conversations', null, '2026-03-01', '2026-03-01', 2)");
  await rows("select add_to_monthly_measure_sum('conversations', null, '2026-03-01', '2026-03-01', 3)");
  expect(await facts()).toEqual(["conversations 0 03 03 5"]);
  expect(await value("select lock_counting_and_read_counted_until()")).toBeNull();
  expect(await rows("select measure from uncounted_answers_unless_too_many(null)")).toEqual([]);
  await rows(`
    insert into counted_facts select '2026-03-01', '2026-03-01Z';
    truncate fact_months;
    select aggregate_monthly_progress_and_tutor_use(1000);
    update counted_facts set reached_at = '2026-04-01T00:05Z';
    select add_or_subtract_conversation_in_months(talk, -1, null) from chat_sessions as talk where id = 1;
    insert into chat_messages (session_id, role, content, created_at) values (1, 'user', 'Behind it', '2026-04-01T00:10Z')`);
  expect(await facts()).toEqual(["topics_started 1 03 03 2"]);
  expect((await months()).length).toBe(2);
});
