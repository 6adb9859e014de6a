import { sql } from "drizzle-orm";
import { EngagementReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";
import { asOf, Behind, behindSince } from "./as-of.ts";
import type { CoursePeriod } from "./period.ts";
import { countOf, distinctOf, ratio, sumOf, totalsOf, uncounted } from "./totals.ts";

const Row = EngagementReport.omit({ date_from: true, date_to: true, as_of: true }).extend(Behind);

/** How much people do with the topics and the tutor; 404 for an unknown course. */
export async function engagementReport(
  db: Db,
  { course_id, ...period }: CoursePeriod,
): Promise<EngagementReport> {
  const filter = { course_id, period };
  const completedOfStarted = sql`(
    select coalesce(sum(amount), 0) from ${totalsOf("topics_completed", { course_id, until: period.date_to })}
      and since between ${period.date_from}::date and ${period.date_to}::date)`;
  const statement = sql`
    with ${uncounted}
    select ${behindSince},
           ${ratio(sql`${sumOf("topic_milliseconds", filter)} / 1000`, distinctOf("topic_people", filter))}
             as average_time_per_topic_seconds,
           ${ratio(sumOf("tutor_questions", filter), distinctOf("tutor_people", filter))}
             as average_chat_turns_per_topic_per_user,
           ${ratio(sql`${sumOf("conversation_milliseconds", filter)} / 1000`, sumOf("conversations", filter))}
             as average_session_duration_seconds,
           ${countOf("topics_started", filter)} as content_started_count,
           ${countOf("topics_completed", filter)} as content_completed_count,
           ${ratio(completedOfStarted, sumOf("topics_started", filter))} as completion_rate
    where ${course_id ? sql`exists (select from courses where id = ${course_id})` : sql`true`}`;
  const [row] = await rowsOf(db, Row, statement);
  if (!row) throw notFound("Course");
  const { behind_since, ...figures } = row;
  return { ...period, ...asOf(behind_since), ...figures };
}
