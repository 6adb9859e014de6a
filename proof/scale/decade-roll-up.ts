import type pg from "pg";
import { recomputeProgressTotalsQuery } from "../../lib/operations/analytics/course-progress-totals.ts";
import type { OnProgress } from "../../scripts/ops/progress-bar.ts";
import { distributeOverConnections, dropIndexesReturningDefinitions } from "./parallel-loading.ts";

/**
 * The schedule's roll-up of all past days and months, which reports read. The schedule works by month and
 * user (schema/functions/operations/monthly-report-aggregates.sql), most of an hour for ten years. Here each total is one statement;
 * a test compares both.
 */
export async function bulkRollUpReportData(
  clients: readonly pg.Client[],
  onProgress: OnProgress,
): Promise<void> {
  const [first] = clients as [pg.Client];
  const { rows: months } = await first.query<{ from: string; to: string }>(
    `select month::text as from, least(month + interval '1 month', date_trunc('day', now()))::text as to
     from generate_series((select date_trunc('month', min(occurred_at)) from activity_events), now(), interval '1 month') as month`,
  );
  const statements = monthStatements;
  const all = months.length + 2 + statements.length + monthlyFactStatements.length;
  let done = 0;
  const told = (what: string) => onProgress(what, ++done, all);

  const indexesOfDays = await dropIndexesReturningDefinitions(first, "activity_days");
  await distributeOverConnections(clients, months, async (client, { from, to }) => {
    // In the order of the schedule, one day after the other.
    await client.query(
      "insert into activity_days select * from daily_activity_between($1, $2, null) order by 1",
      [from, to],
    );
    told("days");
  });
  await first.query(countedAnswers);
  await distributeOverConnections(clients, indexesOfDays, (client, statement) => client.query(statement));
  await first.query("vacuum analyze activity_days");
  await first.query(`
    update scheduled_tasks set begun_at = utc_midnight(utc_day(now())), reached_at = utc_midnight(utc_day(now())) where name = 'count';
    delete from counted_months;
    insert into counted_months (until, people_to) values (${peopleUntil}, -2147483648)`);

  told("months of people");
  const indexesOfMonths = await dropIndexesReturningDefinitions(first, "activity_months");
  await distributeOverConnections(clients, activeMonths, (client, statement) => client.query(statement));
  await distributeOverConnections(clients, indexesOfMonths, (client, statement) => client.query(statement));
  await first.query("vacuum analyze activity_months");
  await distributeOverConnections(clients, statements, async (client, statement) => {
    await client.query(
      `insert into report_months (measure, course_id, month, since, amount, university_id) ${statement}`,
    );
    told("months");
  });
  await first.query("vacuum analyze report_months");

  await first.query(recomputeProgressTotalsQuery());
  told("totals of trees");

  await first.query(`
    delete from counted_facts;
    insert into counted_facts (until, reached_at) values (${monthsUntil}, utc_midnight(${monthsUntil}))`);
  await distributeOverConnections(clients, monthlyFactStatements, async (client, statement) => {
    await client.query(statement);
    told("months of facts");
  });
}

const monthsUntil = "date_trunc('month', utc_day(now()))::date";
/** User totals lag a day, until universities' local days are over. */
const peopleUntil = "date_trunc('month', utc_day(now()) - 1)::date";

const countedAnswers = `
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), count(*), false
  from answer_facts where moment < utc_midnight(utc_day(now())) group by 1, 2, 3`;

/** Monthly rows of users per topic, and per course. */
const activeMonths = [
  `insert into activity_months (month, user_id, content_item_id, course_id, milliseconds, questions)
   select date_trunc('month', day)::date, user_id, content_item_id, course_id, sum(milliseconds), sum(questions)
   from activity_days where content_item_id is not null and day < ${peopleUntil} group by 1, 2, 3, 4`,
  `insert into activity_months (month, user_id, content_item_id, course_id, milliseconds, questions)
   select distinct date_trunc('month', day)::date, user_id, null::integer, course_id, 0, 0
   from activity_days where day < ${peopleUntil}`,
];

/** User rows with the previous active month, in the order of these columns. */
const withFormer = (columns: string, from: string) =>
  `(select *, lag(month) over (partition by user_id, ${columns} order by month) as since from ${from}) as one`;

const inCourses = "activity_months where content_item_id is null";

/** `university_id` last, as in the table. */
const monthStatements: readonly string[] = [
  `select case grouping(course_id) when 0 then 'topics' else 'all_topics' end, course_id, month, since, count(*), null::integer
   from ${withFormer("content_item_id", "activity_months where content_item_id is not null")}
   group by grouping sets ((course_id, month, since), (month, since))`,
  `select case grouping(course_id) when 0 then 'askers' else 'all_askers' end, course_id, month, since, count(*), null::integer
   from ${withFormer("content_item_id", "activity_months where content_item_id is not null and questions > 0")}
   group by grouping sets ((course_id, month, since), (month, since))`,
  `select 'people', course_id, month, since, count(*), null::integer
   from ${withFormer("course_id", `${inCourses} and course_id is not null`)} group by 2, 3, 4`,
  `select 'all_people', null::integer, month, since, count(*), null::integer
   from (select month, lag(month) over (partition by user_id order by month) as since
         from (select distinct user_id, month from ${inCourses}) as anywhere) as one
   group by 3, 4`,
  `select 'university_people', null::integer, month, since, count(*), university_id
   from ${withFormer(
     "university_id",
     `(select distinct active.user_id, active.month, courses.university_id
       from activity_months as active join courses on courses.id = active.course_id
       where active.content_item_id is null) as at_university`,
   )}
   group by 3, 4, 6`,
  `select case grouping(course_id) when 0 then 'milliseconds' else 'all_milliseconds' end, course_id, month, null::date,
     sum(milliseconds)::bigint, null::integer
   from activity_months where content_item_id is not null group by grouping sets ((course_id, month), (month))`,
  `select case grouping(course_id) when 0 then 'questions' else 'all_questions' end, course_id, month, null::date,
     sum(questions), null::integer
   from activity_months where content_item_id is not null and questions > 0
   group by grouping sets ((course_id, month), (month))`,
  `select 'people_by_day', null::integer, date_trunc('month', day)::date, day, count(*), null::integer
   from (select distinct user_id, day from activity_days where day < ${peopleUntil}) as one group by 3, 4`,
  `select 'university_people_by_day', null::integer, date_trunc('month', day)::date, day, count(*), university_id
   from (select distinct done.user_id, coalesce(done.local_day, done.day) as day, courses.university_id
         from activity_days as done join courses on courses.id = done.course_id) as one
   where day < ${peopleUntil} group by 3, 4, 6`,
];

const tutorSums = `sum(calls), sum(priced_calls), sum(hits), sum(joined), sum(input_tokens), sum(output_tokens),
  sum(cache_read_tokens), sum(cache_write_tokens), sum(cost_micros)`;

const tutorSumsOfAll = `daily_tutor_usage_between(to_timestamp(0), utc_midnight(${monthsUntil}))`;

/** Totals of progress, conversations and calls in past months. */
export const monthlyFactStatements: readonly string[] = [
  `insert into fact_months (measure, course_id, month, since, amount)
   select 'topics_started', run.course_id, utc_month(first_started_at), utc_month(first_started_at), count(*)
   from user_content_progress join course_offerings as run on run.id = course_offering_id
   where first_started_at < utc_midnight(${monthsUntil}) group by 1, 2, 3, 4`,
  `insert into fact_months (measure, course_id, month, since, amount)
   select 'topics_completed', run.course_id, utc_month(completed_at), utc_month(first_started_at), count(*)
   from user_content_progress join course_offerings as run on run.id = course_offering_id
   where completed_at < utc_midnight(${monthsUntil}) group by 1, 2, 3, 4`,
  `insert into fact_months (measure, course_id, month, since, amount)
   select measure, coalesce(course_id, 0), utc_month(opened_at), utc_month(opened_at), sum(amount)
   from conversation_counts_and_durations_between(to_timestamp(0), utc_midnight(${monthsUntil})) group by 1, 2, 3, 4`,
  `insert into tutor_report_months
   select coalesce(university_id, 0), coalesce(course_id, 0), date_trunc('month', day)::date, ${tutorSums}
   from ${tutorSumsOfAll} group by 1, 2, 3`,
  `insert into tutor_report_days
   select coalesce(university_id, 0), day, ${tutorSums} from ${tutorSumsOfAll} group by 1, 2`,
];
