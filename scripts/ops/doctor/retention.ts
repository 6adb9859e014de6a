import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { advice, type Finding, ok } from "./finding.ts";

const Late = z.object({ university: z.string(), days: z.int() });

/** Finds universities whose weekly retention run is late or has lasted for days. */
export async function checkRetention(db: Db): Promise<Finding> {
  const late = await rowsOf(
    db,
    Late,
    sql`
      select university.name as university,
        extract(day from service_now() - coalesce(last.begun_at, due.since))::int as days
      from (
        select university_id, min(greatest(set_at + interval '30 days', counted_at)) as since from retention_periods
        where counted_at is not null group by university_id
      ) as due join universities as university on university.id = due.university_id
      left join lateral (
        select begun_at, ended_at from retention_runs where university_id = due.university_id order by id desc limit 1
      ) as last on true
      where due.since < service_now() - interval '2 days'
        and case when last.begun_at is null then true
                 when last.ended_at is null then last.begun_at < service_now() - interval '2 days'
                 else last.begun_at < service_now() - interval '9 days' end
      order by university.name limit 50`,
  );
  if (late.length === 0) return ok('the job "retention" runs on time for every university');
  const named = late.map(({ university, days }) => `${university}, for ${days} days`);
  return advice(
    `the job "retention" is late at: ${named.join("; ")}`,
    "check whether the schedule runs, and its log of that job",
  );
}
