import * as reports from "../../../lib/community/reports.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may, ownOr } from "../../../lib/identity/auth/guards.ts";
import {
  DiscussionPost,
  DiscussionReport,
  DiscussionReportCreate,
  DiscussionReportForStaff,
  DiscussionReportQuery,
  Moderation,
} from "../../../schema/api/community/discussions.ts";
import { CourseReview } from "../../../schema/api/community/reviews.ts";
import { listOf, pathIds, pathWideIds } from "../../../schema/api/platform/fields.ts";

export const reportDiscussionPost = endpoint(
  {
    id: "reportDiscussionPost",
    method: "put",
    path: "/posts/{post_id}/report",
    summary: "Report a post to the staff",
    description: "One report for each person and post: said again, it replaces what was said.",
    ...ownOr("discussion:read"),
    params: pathWideIds("post_id"),
    body: DiscussionReportCreate,
    ...ok(DiscussionReport, "The report, which is open"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => reports.reportPost(deps.db, actor, params.post_id, body, deps.now()),
);

export const listDiscussionReports = endpoint(
  {
    id: "listDiscussionReports",
    method: "get",
    path: "/offerings/{offering_id}/reports",
    summary: "List what was reported in an offering",
    description: "Posts and reviews, with what was decided.",
    ...may("discussion:moderate"),
    params: pathIds("offering_id"),
    query: DiscussionReportQuery,
    ...ok(listOf(DiscussionReportForStaff), "Newest first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => reports.listReports(deps.db, actor, params.offering_id, query),
);

export const moderateDiscussionPost = endpoint(
  {
    id: "moderateDiscussionPost",
    method: "put",
    path: "/posts/{post_id}/moderation",
    summary: "Hide a post, or let it stand",
    description: "Either settles the open reports of it, and is noted in the audit log.",
    ...may("discussion:moderate"),
    params: pathWideIds("post_id"),
    body: Moderation,
    ...ok(DiscussionPost, "The post as staff see it"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => reports.moderatePost(deps.db, actor, params.post_id, body, deps.now()),
);

export const reportCourseReview = endpoint(
  {
    id: "reportCourseReview",
    method: "put",
    path: "/reviews/{review_id}/report",
    summary: "Report a review's words to the staff",
    description: "One report for each person and review: said again, it replaces what was said.",
    ...ownOr("course:read-unpublished"),
    params: pathWideIds("review_id"),
    body: DiscussionReportCreate,
    ...ok(DiscussionReport, "The report, which is open"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => reports.reportReview(deps.db, actor, params.review_id, body, deps.now()),
);

export const moderateCourseReview = endpoint(
  {
    id: "moderateCourseReview",
    method: "put",
    path: "/reviews/{review_id}/moderation",
    summary: "Hide a review's words, or let them stand",
    description:
      "Either settles the open reports of it, and is noted in the audit log. The rating counts on: it is the words that were reported.",
    ...may("discussion:moderate"),
    params: pathWideIds("review_id"),
    body: Moderation,
    ...ok(CourseReview, "The review as staff see it"),
    fails: [404],
  },
  ({ deps, actor, params, body }) =>
    reports.moderateReview(deps.db, actor, params.review_id, body, deps.now()),
);
