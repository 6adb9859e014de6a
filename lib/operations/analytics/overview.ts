import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { OverviewReport } from "../../../schema/api/operations/analytics.ts";
import { CalendarDate } from "../../../schema/api/platform/fields.ts";
import { currentStreak } from "../../identity/users/streak.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { dailyCountsJsonQuery } from "./daily.ts";
import {
  activityOutsideWholeMonthsSql,
  isOverAYear,
  monthlyActivitySumsSql,
  wholeMonthsQuery,
} from "./monthly-activity.ts";
import { daysBefore, type ReportPeriod } from "./period.ts";
import { activityBehindSinceSql, asOfField, BehindSinceColumn, nullIfDayNotCounted } from "./report-delay.ts";
import { activityDaysInPeriodSql, dailyAndCurrentTotalsSql } from "./totals.ts";

const StoredStreak = z.object({
  current_streak_days: z.int(),
  last_activity_date: CalendarDate,
  time_zone: z.string(),
  users: z.int(),
});

type StoredStreak = z.output<typeof StoredStreak>;

const OverviewRow = z.object({
  ...OverviewReport.omit({ date_from: true, date_to: true, as_of: true, streak_distribution: true }).shape,
  ...BehindSinceColumn,
  streaks: z.array(StoredStreak),
});

/** People: totals, new and active. */
export async function overviewReport(db: ReadDb, period: ReportPeriod, now: Date): Promise<OverviewReport> {
  const statement = sql`
    ${isOverAYear(period) ? activeInYears(period) : activeInDays(period)}
    select ${activityBehindSinceSql()},
           (select count(*)::int from users) as total_registered_users,
           (${dailyCountsJsonQuery(signupsByDay(period), period)}) as daily_new_signups,
           (${dailyCountsJsonQuery(sql`select day, amount from active_by_day`, period)}) as daily_active_users,
           ${activeIn(7, period)} as weekly_active_users,
           ${activeIn(30, period)} as monthly_active_users,
           (${runningStreaks(now)}) as streaks`;
  const [row] = await rowsOf(db, OverviewRow, statement);
  if (!row) throw new Error("the overview returned no row");
  const { streaks, behind_since, ...figures } = row;
  return {
    ...period,
    ...asOfField(behind_since),
    ...figures,
    daily_active_users: figures.daily_active_users.map(({ date, count }) => ({
      date,
      count: nullIfDayNotCounted(behind_since, date, count),
    })),
    weekly_active_users: nullIfDayNotCounted(behind_since, period.date_to, figures.weekly_active_users),
    monthly_active_users: nullIfDayNotCounted(behind_since, period.date_to, figures.monthly_active_users),
    streak_distribution: distribution(figures.total_registered_users, streaks, now),
  };
}

/** By day: in the 30 days for monthly users, and in the period. */
function activeInDays(period: ReportPeriod): SQL {
  const month = daysBefore(period.date_to, 29);
  const days = { ...period, date_from: month < period.date_from ? month : period.date_from };
  return sql`
    with active as materialized (select distinct day, user_id from ${activityDaysInPeriodSql({ period: days })}),
    active_by_day as (select day, count(*) as amount from active group by day)`;
}

/** For more than a year, with a row for each day of aggregated months. */
function activeInYears(period: ReportPeriod): SQL {
  const days = { ...period, date_from: daysBefore(period.date_to, 29) };
  return sql`
    with whole as materialized (${wholeMonthsQuery(period)}),
    active as materialized (select distinct day, user_id from ${activityDaysInPeriodSql({ period: days })}),
    active_by_day as (
      select day, count(distinct user_id) as amount from ${activityOutsideWholeMonthsSql(period)} group by day
      union all
      select since, sum(amount) from ${monthlyActivitySumsSql(["people_by_day"])} group by since
    )`;
}

const signupsByDay = (period: ReportPeriod): SQL => sql`
  select utc_day(moment) as day, sum(amount) as amount
  from ${dailyAndCurrentTotalsSql("learning", ["signups"], { period })} as total group by 1`;

/** Distinct people in the days that end with the period. */
const activeIn = (days: number, { date_to }: ReportPeriod): SQL => sql`(
  select count(distinct user_id)::int from active where day > ${date_to}::date - ${days}::int)`;

/** Streaks that may be current in some time zone. The profile's rule decides. */
const runningStreaks = (now: Date): SQL => sql`
  select coalesce(json_agg(streak), '[]') from (
    select current_streak_days, last_activity_date, time_zone, count(*)::int as users from users
    where last_activity_date >= utc_day(${now.toISOString()}) - 2
    group by 1, 2, 3
  ) as streak`;

/** Lower bounds, in days. */
const buckets = [0, 1, 2, 7, 14, 30, 100];

function distribution(
  total: number,
  streaks: StoredStreak[],
  now: Date,
): OverviewReport["streak_distribution"] {
  const users = buckets.map(() => 0);
  for (const streak of streaks) {
    const days = currentStreak(streak, now);
    const bucket = buckets.findLastIndex((least) => days >= least);
    users[bucket] = (users[bucket] ?? 0) + streak.users;
  }
  const counted = users.reduce((sum, some) => sum + some, 0);
  return buckets.map((_, index) => ({
    bucket: labelOf(index),
    users: (users[index] ?? 0) + (index === 0 ? total - counted : 0),
  }));
}

/** `1`, `2-6`, `100+`. */
function labelOf(index: number): string {
  const [least = 0, next] = buckets.slice(index);
  if (next === undefined) return `${least}+`;
  return next === least + 1 ? `${least}` : `${least}-${next - 1}`;
}
