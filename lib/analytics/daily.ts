import { type SQL, sql } from "drizzle-orm";
import { isListedWhole, type Period } from "./period.ts";

/**
 * Rows of a `day` and its `amount` as a JSON array with a count for every day of the period; of one that is too long for
 * that, from the day of the first account until today.
 */
export const dailyCounts = (byDay: SQL, period: Period): SQL => sql`
  select coalesce(json_agg(json_build_object('date', calendar.day::date, 'count', coalesce(amount, 0)::int)
                           order by calendar.day), '[]')
  from generate_series(${firstListed(period)}, ${lastListed(period)}, interval '1 day') as calendar (day)
  left join (${byDay}) as counted on counted.day = calendar.day`;

const firstListed = (period: Period): SQL =>
  isListedWhole(period)
    ? sql`${period.date_from}::timestamp`
    : sql`greatest(${period.date_from}::date, (select min(utc_day(created_at)) from users))::timestamp`;

const lastListed = (period: Period): SQL =>
  isListedWhole(period)
    ? sql`${period.date_to}::timestamp`
    : sql`least(${period.date_to}::date, utc_day(service_now()))::timestamp`;
