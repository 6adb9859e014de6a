import { type SQL, sql } from "drizzle-orm";
import { EngagementReport } from "../../../schema/api/operations/analytics.ts";
import type { ReportMeasure } from "../../../schema/enums.ts";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  activityMonthInWholeMonthsCondition,
  activityOutsideWholeMonthsSql,
  firstInWholeMonthsCondition,
  isOverAYear,
  monthlyActivitySumsSql,
  wholeMonthsQuery,
} from "./monthly-activity.ts";
import {
  topicCompletionWithWholeMonthsQuery,
  totalsWithWholeMonthsSql,
  wholeMonthsOfTotalsCte,
} from "./monthly-totals.ts";
import type { CoursePeriod, ReportPeriod } from "./period.ts";
import { activityBehindSinceSql, asOfField, BehindSinceColumn, nullIfDayNotCounted } from "./report-delay.ts";
import {
  activityDaysInPeriodSql,
  dailyAndCurrentTotalsSql,
  integerOrZeroSql,
  momentInPeriodCondition,
  ratioSql,
  sumRowsByMeasureQuery,
} from "./totals.ts";

const Row = EngagementReport.omit({ date_from: true, date_to: true, as_of: true }).extend(BehindSinceColumn);

/** One number, which PostgreSQL sorts twice as fast as two columns. */
const personAtTopic = sql`((user_id::bigint << 32) + content_item_id)`;

/** Use of topics and the tutor; 404 for an unknown course. */
export async function engagementReport(
  db: ReadDb,
  { course_id, ...period }: CoursePeriod,
): Promise<EngagementReport> {
  const filter = { course_id, ...period };
  const ofYears = isOverAYear(period);
  const summed = (about: "learning" | "conversations", measures: readonly ReportMeasure[]) =>
    sumRowsByMeasureQuery(
      measures,
      ofYears
        ? totalsWithWholeMonthsSql(about, measures, filter)
        : dailyAndCurrentTotalsSql(about, measures, { course_id, period }),
    );
  const statement = sql`
    with ${ofYears ? attentionInYears(filter) : attentionInDays({ course_id, period })},
    completion as (${ofYears ? topicCompletionWithWholeMonthsQuery(filter) : completionInDays(filter)})
    select ${activityBehindSinceSql(course_id)},
           ${ratioSql(sql`attention.milliseconds / 1000.0`, sql`attention.people`)} as average_time_per_topic_seconds,
           ${ratioSql(sql`attention.questions`, sql`attention.askers`)} as average_chat_turns_per_topic_per_user,
           ${ratioSql(sql`conversation_milliseconds / 1000`, sql`conversations`)} as average_session_duration_seconds,
           ${integerOrZeroSql(sql`topics_started`)} as content_started_count,
           ${integerOrZeroSql(sql`topics_completed`)} as content_completed_count,
           ${ratioSql(sql`coalesce(completion.topics, 0)`, sql`topics_started`)} as completion_rate
    from attention, completion,
         (${summed("learning", ["topics_started", "topics_completed"])}) as learning,
         (${summed("conversations", ["conversations", "conversation_milliseconds"])}) as conversation
    where ${course_id ? sql`exists (select from courses where id = ${course_id})` : sql`true`}`;
  const [row] = await rowsOf(db, Row, statement);
  if (!row) throw notFound("Course");
  const { behind_since, ...figures } = row;
  const ofActivity = (figure: number | null) => nullIfDayNotCounted(behind_since, period.date_to, figure);
  return {
    ...period,
    ...asOfField(behind_since),
    ...figures,
    average_time_per_topic_seconds: ofActivity(figures.average_time_per_topic_seconds),
    average_chat_turns_per_topic_per_user: ofActivity(figures.average_chat_turns_per_topic_per_user),
  };
}

const completionInDays = ({ course_id, ...period }: CoursePeriod): SQL => sql`
  select sum(amount) as topics from ${dailyAndCurrentTotalsSql("learning", ["topics_completed"], { course_id })} as total
  where moment < utc_midnight(${period.date_to}::date + 1) and ${momentInPeriodCondition(sql`since`, period)}`;

const attentionInDays = (filter: { course_id: number | undefined; period: ReportPeriod }): SQL => sql`
  attention as (
    select sum(milliseconds) as milliseconds, count(distinct ${personAtTopic}) as people, sum(questions) as questions,
           count(distinct ${personAtTopic}) filter (where questions > 0) as askers
    from ${activityDaysInPeriodSql(filter)} and content_item_id is not null
  )`;

/** For more than a year. Looks up topics visited in the partial months. */
function attentionInYears({ course_id, ...period }: CoursePeriod): SQL {
  const named = (measure: "milliseconds" | "topics" | "questions" | "askers") =>
    course_id ? measure : (`all_${measure}` as const);
  const amountOf = (measure: Parameters<typeof named>[0]) =>
    sql`sum(amount) filter (where measure = ${sql.raw(`'${named(measure)}'`)})`;
  const measures = (["milliseconds", "topics", "questions", "askers"] as const).map(named);
  const wasThere = (where: SQL) => sql`coalesce((
    select true from activity_months as active
    where active.user_id = around.user_id and active.content_item_id = around.content_item_id and ${where} and ${activityMonthInWholeMonthsCondition}
    limit 1), false)`;
  return sql`
    ${wholeMonthsOfTotalsCte(period)},
    whole as materialized (${wholeMonthsQuery(period)}),
    around as materialized (
      select user_id, content_item_id, sum(milliseconds) as milliseconds, sum(questions) as questions
      from ${activityOutsideWholeMonthsSql({ course_id, ...period })} and content_item_id is not null group by 1, 2
      order by 1, 2
    ),
    newly as (
      select sum(around.milliseconds) as milliseconds, count(*) filter (where not ${wasThere(sql`true`)}) as people,
             sum(around.questions) as questions,
             count(*) filter (where around.questions > 0 and not ${wasThere(sql`active.questions > 0`)}) as askers
      from around
    ),
    summed as (
      select ${amountOf("milliseconds")} as milliseconds, ${amountOf("topics")} as people,
             ${amountOf("questions")} as questions, ${amountOf("askers")} as askers
      from ${monthlyActivitySumsSql(measures, course_id)} and ${firstInWholeMonthsCondition}
    ),
    attention as (
      select coalesce(newly.milliseconds, 0) + coalesce(summed.milliseconds, 0) as milliseconds,
             newly.people + coalesce(summed.people, 0) as people,
             coalesce(newly.questions, 0) + coalesce(summed.questions, 0) as questions,
             newly.askers + coalesce(summed.askers, 0) as askers
      from newly, summed
    )`;
}
