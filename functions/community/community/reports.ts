import * as reports from "../../../lib/community/content-reports.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, permittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Report a post",
    description: "One report per person and post. A new report replaces the former one.",
    ...ownDataOrPermitted("discussion:read"),
    params: pathWideIds("post_id"),
    body: DiscussionReportCreate,
    ...ok(DiscussionReport, "The open report"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => reports.reportPost(deps.db, actor, params.post_id, body, deps.now()),
);

export const listDiscussionReports = endpoint(
  {
    id: "listDiscussionReports",
    method: "get",
    path: "/offerings/{offering_id}/reports",
    summary: "List reports of an offering",
    description: "Reported posts and reviews, with the decisions.",
    ...permittedTo("discussion:moderate"),
    params: pathIds("offering_id"),
    query: DiscussionReportQuery,
    ...ok(listOf(DiscussionReportForStaff), "Reports, newest first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => reports.listReports(deps.db, actor, params.offering_id, query),
);

export const moderateDiscussionPost = endpoint(
  {
    id: "moderateDiscussionPost",
    method: "put",
    path: "/posts/{post_id}/moderation",
    summary: "Hide or restore a post",
    description: "Resolves open reports of the post and is recorded in the audit log.",
    ...permittedTo("discussion:moderate"),
    params: pathWideIds("post_id"),
    body: Moderation,
    ...ok(DiscussionPost, "The post, as staff see it"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => reports.moderatePost(deps.db, actor, params.post_id, body, deps.now()),
);

export const reportCourseReview = endpoint(
  {
    id: "reportCourseReview",
    method: "put",
    path: "/reviews/{review_id}/report",
    summary: "Report a review",
    description: "One report per person and review. A new report replaces the former one.",
    ...ownDataOrPermitted("course:read-unpublished"),
    params: pathWideIds("review_id"),
    body: DiscussionReportCreate,
    ...ok(DiscussionReport, "The open report"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => reports.reportReview(deps.db, actor, params.review_id, body, deps.now()),
);

export const moderateCourseReview = endpoint(
  {
    id: "moderateCourseReview",
    method: "put",
    path: "/reviews/{review_id}/moderation",
    summary: "Hide or restore a review",
    description:
      "Resolves open reports of the review and is recorded in the audit log. Hides only the text: the " +
      "rating still counts.",
    ...permittedTo("discussion:moderate"),
    params: pathWideIds("review_id"),
    body: Moderation,
    ...ok(CourseReview, "The review, as staff see it"),
    fails: [404],
  },
  ({ deps, actor, params, body }) =>
    reports.moderateReview(deps.db, actor, params.review_id, body, deps.now()),
);
