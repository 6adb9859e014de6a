import { type SQL, sql } from "drizzle-orm";
import { hasEveryDayListed, type ReportPeriod } from "./period.ts";
import type { SqlPeriod } from "./totals.ts";

/**
 * A JSON array of `day` and `amount`, one for each day. A very long period begins with the first account and
 * ends today.
 */
export const dailyCountsJsonQuery = (byDay: SQL, period: ReportPeriod): SQL =>
  dailyCountsJsonOfSqlPeriodQuery(byDay, period, hasEveryDayListed(period));

/** For days computed by the statement. For a long period only days with a count. */
export const dailyCountsJsonOfSqlPeriodQuery = (byDay: SQL, days: SqlPeriod, isWhole: boolean): SQL => sql`
  select coalesce(json_agg(json_build_object('date', calendar.day::date, 'count', coalesce(amount, 0)::int)
                           order by calendar.day), '[]')
  from generate_series(${firstListed(days, isWhole)}, ${lastListed(days, isWhole)}, interval '1 day') as calendar (day)
  left join (${byDay}) as counted on counted.day = calendar.day`;

const firstListed = ({ date_from }: SqlPeriod, isWhole: boolean): SQL =>
  isWhole
    ? sql`${date_from}::timestamp`
    : sql`greatest(${date_from}::date, (select min(utc_day(created_at)) from users))::timestamp`;

const lastListed = ({ date_to }: SqlPeriod, isWhole: boolean): SQL =>
  isWhole ? sql`${date_to}::timestamp` : sql`least(${date_to}::date, utc_day(service_now()))::timestamp`;
