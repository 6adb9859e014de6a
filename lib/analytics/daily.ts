import { type SQL, sql } from "drizzle-orm";
import type { Period } from "./period.ts";

/** Rows of a `day` and its `amount` as a JSON array with a count for every day of the period. */
export const dailyCounts = (byDay: SQL, { date_from, date_to }: Period): SQL => sql`
  select json_agg(json_build_object('date', calendar.day::date, 'count', coalesce(amount, 0)::int)
                  order by calendar.day)
  from generate_series(${date_from}::timestamp, ${date_to}::timestamp, interval '1 day') as calendar (day)
  left join (${byDay}) as counted on counted.day = calendar.day`;
