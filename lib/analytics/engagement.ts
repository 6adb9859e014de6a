import { type SQL, sql } from "drizzle-orm";
import type { EngagementReport } from "../../schema/api/analytics.ts";
import type { ActivityScope } from "../../schema/enums.ts";
import type { Db } from "../db/client.ts";
import { notFound } from "../errors.ts";
import { countNew } from "./count-new.ts";
import type { CoursePeriod, Period } from "./period.ts";
import { dayIn, distinctSince, endOf, momentIn, per } from "./sql.ts";

type Figures = Omit<EngagementReport, keyof Period>;

/** How much people do with the topics and the tutor; 404 for an unknown course. */
export async function engagementReport(db: Db, about: CoursePeriod): Promise<EngagementReport> {
  const { course_id, ...period } = about;
  await countNew(db);
  const { rows } = await db.execute<Figures>(sql`
    select (${eachTime("topic", sql`sum(milliseconds) / 1000`, about)}) as average_time_per_topic_seconds,
           (${eachTime("tutor", sql`sum(events)`, about)}) as average_chat_turns_per_topic_per_user,
           (${sessionDuration(about)}) as average_session_duration_seconds,
           started.*,
           (select count(*)::int from user_content_progress
            where ${momentIn(sql`completed_at`, period)} and ${inOfferingsOf(course_id)}) as content_completed_count
    from (${started(about)}) as started
    where ${course_id ? sql`exists (select from courses where id = ${course_id})` : sql`true`}`);
  if (!rows[0]) throw notFound("Course");
  return { ...period, ...rows[0] };
}

/** An amount for each person and topic that was active in the period. */
const eachTime = (scope: ActivityScope, amount: SQL, { course_id, ...period }: CoursePeriod): SQL => sql`
  select ${per(amount, distinctSince(sql`${period.date_from}::date`))} from activity_totals
  where scope = ${scope} and ${dayIn(sql`day`, period)} and ${ofCourse(course_id)}`;

const sessionDuration = ({ course_id, ...period }: CoursePeriod): SQL => sql`
  select ${per(sql`sum(session_milliseconds) / 1000`, sql`sum(sessions)`)} from chat_totals
  where ${dayIn(sql`day`, period)} and ${ofCourse(course_id)}`;

const started = ({ course_id, ...period }: CoursePeriod): SQL => sql`
  select count(*)::int as content_started_count,
         ${per(sql`count(*) filter (where completed_at < ${endOf(period)})`, sql`count(*)`)} as completion_rate
  from user_content_progress
  where ${momentIn(sql`first_started_at`, period)} and ${inOfferingsOf(course_id)}`;

const ofCourse = (courseId: number | undefined): SQL => (courseId ? sql`course_id = ${courseId}` : sql`true`);

const inOfferingsOf = (courseId: number | undefined): SQL =>
  courseId
    ? sql`course_offering_id in (select id from course_offerings where course_id = ${courseId})`
    : sql`true`;
