import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { OverviewReport } from "../../schema/api/analytics.ts";
import { CalendarDate } from "../../schema/api/fields.ts";
import type { ReportMeasure } from "../../schema/enums.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { currentStreak } from "../users/streak.ts";
import { asOf, Behind, behindSince } from "./as-of.ts";
import { dailyCounts } from "./daily.ts";
import { daysBefore, type Period } from "./period.ts";
import { countOf, distinctOf, totalsOf, uncounted } from "./totals.ts";

/** People who share a streak, as it is stored. */
const StoredStreak = z.object({
  current_streak_days: z.int(),
  last_activity_date: CalendarDate,
  time_zone: z.string(),
  users: z.int(),
});

type StoredStreak = z.output<typeof StoredStreak>;

const OverviewRow = z.object({
  ...OverviewReport.omit({ date_from: true, date_to: true, as_of: true, streak_distribution: true }).shape,
  ...Behind,
  streaks: z.array(StoredStreak),
});

/** How many people there are, who is new and who is active. */
export async function overviewReport(db: Db, period: Period, now: Date): Promise<OverviewReport> {
  const statement = sql`
    with ${uncounted}
    select ${behindSince},
           ${countOf("signups")} as total_registered_users,
           (${daily("signups", period)}) as daily_new_signups,
           (${daily("people", period)}) as daily_active_users,
           ${activeIn(7, period)} as weekly_active_users,
           ${activeIn(30, period)} as monthly_active_users,
           (${runningStreaks(now)}) as streaks`;
  const [row] = await rowsOf(db, OverviewRow, statement);
  if (!row) throw new Error("the overview has no row");
  const { streaks, behind_since, ...figures } = row;
  return {
    ...period,
    ...asOf(behind_since),
    ...figures,
    streak_distribution: distribution(figures.total_registered_users, streaks, now),
  };
}

/** A measure by day. */
const daily = (measure: ReportMeasure, period: Period): SQL =>
  dailyCounts(
    sql`select day, sum(amount) as amount from ${totalsOf(measure, { period })} group by day`,
    period,
  );

/** Distinct people in the days that end with the period. */
const activeIn = (days: number, { date_to }: Period): SQL => {
  const period = { date_from: daysBefore(date_to, days - 1), date_to };
  return sql`coalesce(${distinctOf("people", { period })}, 0)::int`;
};

/** Streaks that may still be alive somewhere on earth; which ones are is the profile's own rule to say. */
const runningStreaks = (now: Date): SQL => sql`
  select coalesce(json_agg(streak), '[]') from (
    select current_streak_days, last_activity_date, time_zone, count(*)::int as users from users
    where last_activity_date >= utc_day(${now.toISOString()}) - 2
    group by 1, 2, 3
  ) as streak`;

/** The least streak of each bucket, in days. */
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
