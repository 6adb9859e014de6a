import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  DiscussionPost,
  DiscussionReport,
  type DiscussionReportForStaff,
  type DiscussionReportQuery,
} from "../../schema/api/community/discussions.ts";
import { CourseReview } from "../../schema/api/community/reviews.ts";
import { discussionReports } from "../../schema/db/community/discussions.ts";
import { visibleCourseCondition } from "../courses/course-permissions.ts";
import {
  hasDiscussionAccess,
  moderateDiscussionsCondition,
  offeringsWithCoursesSql,
  readableThreadCondition,
} from "../courses/discussion-access.ts";
import { forbidden, notFound } from "../errors.ts";
import { type AuditEntry, insertAuditEventsQuery } from "../identity/audit/record.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { queryJsonPageOfOwner, wireColumnsSql } from "../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../platform/db/query/page.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";
import { explainPostRefusal, postJsonSql, postsWithCoursesSql } from "./posts.ts";
import { reviewJsonSql } from "./reviews.ts";

const columns = {
  id: discussionReports.id,
  post_id: discussionReports.post_id,
  review_id: discussionReports.review_id,
  reason: discussionReports.reason,
  outcome: discussionReports.outcome,
  resolved_at: discussionReports.resolved_at,
  created_at: discussionReports.created_at,
};

/** A repeated report reopens it with the new reason. 404 for a post that the caller cannot see. */
export async function reportPost(
  db: Db,
  actor: Actor,
  postId: number,
  { reason }: { reason: string },
  now: Date,
): Promise<DiscussionReport> {
  const reported = sql`
    select discussion_posts.id, course_offerings.id, ${actor.id}::int, ${reason}::text, ${now.toISOString()}::timestamptz
    from ${postsWithCoursesSql}
    where discussion_posts.id = ${postId} and ${readableThreadCondition(actor)}`;
  const report = await keepReport(db, sql`post_id`, reported);
  if (!report) throw notFound("Post");
  return report;
}

/** Inserts or reopens: one per person and post or review. */
async function keepReport(db: Db, subject: SQL, selected: SQL): Promise<DiscussionReport | undefined> {
  const [report] = await rowsOf(
    db,
    DiscussionReport,
    sql`
      with given (subject_id, course_offering_id, user_id, reason, created_at) as materialized (${selected}),
      changed as (
        update discussion_reports as known
        set reason = given.reason, created_at = given.created_at, outcome = null, resolved_at = null
        from given where known.${subject} = given.subject_id and known.user_id = given.user_id
        returning known.*
      ), made as (
        insert into discussion_reports (${subject}, course_offering_id, user_id, reason, created_at)
        select given.* from given where not exists (select from changed)
        on conflict (${subject}, user_id) do update
          set reason = excluded.reason, created_at = excluded.created_at, outcome = null, resolved_at = null
        returning *
      ), reported as (
        select * from changed union all select * from made
      )
      select ${wireColumnsSql(columns)} from reported as discussion_reports`,
  );
  return report;
}

const states = {
  open: sql`outcome is null`,
  resolved: sql`outcome is not null`,
  all: undefined,
};

/** Newest first, for the offering's staff: 403 for other readers, otherwise 404. */
export async function listReports(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  { state, ...window }: DiscussionReportQuery,
): Promise<JsonListPage<DiscussionReportForStaff>> {
  const reports = await queryJsonPageOfOwner<DiscussionReportForStaff>(
    db,
    sql`${offeringsWithCoursesSql} where course_offerings.id = ${offeringId} and ${moderateDiscussionsCondition(actor)}`,
    createPageQuery(window, [
      descending(discussionReports.created_at),
      descending(discussionReports.id),
    ]).rows(
      {
        ...columns,
        user_id: discussionReports.user_id,
        user_name: sql`reporter.full_name`,
        thread_title: sql`thread.title`,
        post: postJsonSql(actor, sql`reported`, sql`true`),
        review: reviewJsonSql(actor, sql`reviewed`),
      },
      sql`
        discussion_reports
        join users as reporter on reporter.id = discussion_reports.user_id
        left join discussion_posts as reported on reported.id = discussion_reports.post_id
        left join discussion_threads as thread on thread.id = reported.thread_id
        left join course_reviews as reviewed on reviewed.id = discussion_reports.review_id`,
      and(sql`discussion_reports.course_offering_id = course_offerings.id`, states[state]),
    ),
  );
  if (reports) return reports;
  await hasDiscussionAccess(db, actor, offeringId);
  throw forbidden();
}

const decision = (actor: Actor, subject: "post" | "review", is_hidden: boolean): AuditEntry => ({
  action: `${subject}.${is_hidden ? "hidden" : "kept"}`,
  actor: actor.id,
  subject: sql`(decided).user_id`,
  university: sql`university_id`,
  details: sql`jsonb_build_object(${`${subject}_id`}::text, (decided).id)`,
});

/** Hides or shows a post and resolves its reports, for staff: 403 for other readers, otherwise 404. */
export async function moderatePost(
  db: Db,
  actor: Actor,
  postId: number,
  { is_hidden }: { is_hidden: boolean },
  now: Date,
): Promise<DiscussionPost> {
  const [moderated] = await rowsOf(
    db,
    z.object({ post: DiscussionPost }),
    sql`
      with permitted as materialized (
        select discussion_posts.id, courses.university_id from ${postsWithCoursesSql}
        where discussion_posts.id = ${postId} and ${moderateDiscussionsCondition(actor)}
      ), done as materialized (
        select decided, permitted.university_id
        from permitted cross join lateral hide_or_show_post_resolving_reports(permitted.id, ${is_hidden}, ${now.toISOString()}) as decided
      ), audited as (${insertAuditEventsQuery(decision(actor, "post", is_hidden), sql`done`)})
      select ${postJsonSql(actor, sql`done.decided`, sql`true`)} as post from done`,
  );
  return moderated?.post ?? explainPostRefusal(db, actor, postId, "not_enough_permissions");
}

const reviewsWithCourses = sql`
  course_reviews
  join course_offerings on course_offerings.id = course_reviews.course_offering_id
  join courses on courses.id = course_offerings.course_id`;

/** A repeated report reopens it. 404 if the caller cannot see the course. */
export async function reportReview(
  db: Db,
  actor: Actor,
  reviewId: number,
  { reason }: { reason: string },
  now: Date,
): Promise<DiscussionReport> {
  const reported = sql`
    select course_reviews.id, course_offerings.id, ${actor.id}::int, ${reason}::text, ${now.toISOString()}::timestamptz
    from ${reviewsWithCourses}
    where course_reviews.id = ${reviewId} and ${and(visibleCourseCondition(actor), tokenReachCondition(actor, sql`courses.university_id`))}`;
  const report = await keepReport(db, sql`review_id`, reported);
  if (!report) throw notFound("Review");
  return report;
}

/** Hides or shows a review and resolves its reports, for staff: 403 for other readers, otherwise 404. */
export async function moderateReview(
  db: Db,
  actor: Actor,
  reviewId: number,
  { is_hidden }: { is_hidden: boolean },
  now: Date,
): Promise<CourseReview> {
  const [moderated] = await rowsOf(
    db,
    z.object({ review: CourseReview }),
    sql`
      with permitted as materialized (
        select course_reviews.id, courses.university_id from ${reviewsWithCourses}
        where course_reviews.id = ${reviewId} and ${moderateDiscussionsCondition(actor)}
      ), done as (
        update course_reviews set is_hidden = ${is_hidden} from permitted where course_reviews.id = permitted.id
        returning course_reviews as decided, permitted.university_id
      ), settled as (
        update discussion_reports set outcome = ${is_hidden ? "hidden" : "kept"}, resolved_at = ${now.toISOString()}
        from done where review_id = (done.decided).id and outcome is null
      ), audited as (${insertAuditEventsQuery(decision(actor, "review", is_hidden), sql`done`)})
      select ${reviewJsonSql(actor, sql`done.decided`)} as review from done`,
  );
  if (moderated) return moderated.review;
  const { rows } = await db.execute(sql`
    select from ${reviewsWithCourses} where course_reviews.id = ${reviewId} and ${visibleCourseCondition(actor)}`);
  throw rows.length > 0 ? forbidden() : notFound("Review");
}
