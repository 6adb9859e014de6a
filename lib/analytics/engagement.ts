import { sql } from "drizzle-orm";
import { EngagementReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";
import { countNew } from "./count-new.ts";
import type { CoursePeriod } from "./period.ts";
import { countOf, distinctOf, per, sumOf, totalsOf } from "./totals.ts";

const Figures = EngagementReport.omit({ date_from: true, date_to: true });

/** How much people do with the topics and the tutor; 404 for an unknown course. */
export async function engagementReport(
  db: Db,
  { course_id, ...period }: CoursePeriod,
): Promise<EngagementReport> {
  await countNew(db);
  const which = { course_id, period };
  const completedOfStarted = sql`(
    select coalesce(sum(amount), 0) from ${totalsOf("topics_completed", { course_id, until: period.date_to })}
      and since between ${period.date_from}::date and ${period.date_to}::date)`;
  const statement = sql`
    select ${per(sql`${sumOf("topic_milliseconds", which)} / 1000`, distinctOf("topic_people", which))}
             as average_time_per_topic_seconds,
           ${per(sumOf("tutor_questions", which), distinctOf("tutor_people", which))}
             as average_chat_turns_per_topic_per_user,
           ${per(sql`${sumOf("conversation_milliseconds", which)} / 1000`, sumOf("conversations", which))}
             as average_session_duration_seconds,
           ${countOf("topics_started", which)} as content_started_count,
           ${countOf("topics_completed", which)} as content_completed_count,
           ${per(completedOfStarted, sumOf("topics_started", which))} as completion_rate
    where ${course_id ? sql`exists (select from courses where id = ${course_id})` : sql`true`}`;
  const [figures] = await rowsOf(db, Figures, statement);
  if (!figures) throw notFound("Course");
  return { ...period, ...figures };
}
