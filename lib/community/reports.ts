import { sql } from "drizzle-orm";
import * as z from "zod";
import {
  DiscussionPost,
  DiscussionReport,
  type DiscussionReportOfPost,
  type DiscussionReportQuery,
} from "../../schema/api/discussions.ts";
import { discussionReports } from "../../schema/db/discussions.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { jsonListIn, wireColumns } from "../db/json-rows.ts";
import { rowsOf } from "../db/rows.ts";
import { forbidden, notFound } from "../errors.ts";
import type { JsonList } from "../json-list.ts";
import { postJson, postsWithCourses, refusePost } from "./posts.ts";
import { moderates, offeringsWithCourses, takesPart, threadOpenTo } from "./visibility.ts";

const columns = {
  id: discussionReports.id,
  post_id: discussionReports.post_id,
  reason: discussionReports.reason,
  outcome: discussionReports.outcome,
  resolved_at: discussionReports.resolved_at,
  created_at: discussionReports.created_at,
};

/** Tells staff what is wrong with a post; said again, it is open again with the new reason. 404 for an unseen post. */
export async function reportPost(
  db: Db,
  actor: Actor,
  postId: number,
  { reason }: { reason: string },
  now: Date,
): Promise<DiscussionReport> {
  const [report] = await rowsOf(
    db,
    DiscussionReport,
    sql`
      with reported as (
        insert into discussion_reports (post_id, course_offering_id, user_id, reason, created_at)
        select discussion_posts.id, course_offerings.id, ${actor.id}, ${reason}, ${now.toISOString()}
        from ${postsWithCourses}
        where discussion_posts.id = ${postId} and ${threadOpenTo(actor)}
        on conflict (post_id, user_id) do update
          set reason = excluded.reason, created_at = excluded.created_at, outcome = null, resolved_at = null
        returning *
      )
      select ${wireColumns(columns)} from reported as discussion_reports`,
  );
  if (!report) throw notFound("Post");
  return report;
}

const states = {
  open: sql`and outcome is null`,
  resolved: sql`and outcome is not null`,
  all: sql``,
};

/** What was reported in an offering, newest first, for its staff: 403 for others who see it, else 404. */
export async function listReports(
  db: Db,
  actor: Actor,
  offeringId: number,
  { state, skip, limit }: DiscussionReportQuery,
): Promise<JsonList<DiscussionReportOfPost>> {
  const reports = await jsonListIn<DiscussionReportOfPost>(
    db,
    sql`${offeringsWithCourses} where course_offerings.id = ${offeringId} and ${moderates(actor)}`,
    sql`
      select ${wireColumns(columns)}, discussion_reports.user_id, reporter.full_name as user_name,
             thread.title as thread_title, ${postJson(actor, sql`reported`, sql`true`)} as post
      from discussion_reports
      join users as reporter on reporter.id = discussion_reports.user_id
      join discussion_posts as reported on reported.id = discussion_reports.post_id
      join discussion_threads as thread on thread.id = reported.thread_id
      where discussion_reports.course_offering_id = course_offerings.id ${states[state]}
      order by discussion_reports.created_at desc, discussion_reports.id desc offset ${skip} limit ${limit}`,
  );
  if (reports) return reports;
  await takesPart(db, actor, offeringId);
  throw forbidden();
}

/** Hides a post's words or shows them, and settles its reports; for staff: 403 for others who see it, else 404. */
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
      with reached as materialized (
        select discussion_posts.id from ${postsWithCourses}
        where discussion_posts.id = ${postId} and ${moderates(actor)}
      )
      select ${postJson(actor, sql`done`, sql`true`)} as post
      from reached cross join lateral moderate_post(reached.id, ${is_hidden}, ${now.toISOString()}) as done`,
  );
  return moderated?.post ?? refusePost(db, actor, postId, "Not enough permissions");
}
