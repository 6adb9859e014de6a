import { may, ownOr } from "../../lib/auth/guards.ts";
import * as reports from "../../lib/community/reports.ts";
import { endpoint, ok } from "../../lib/http/endpoint.ts";
import {
  DiscussionPost,
  DiscussionReport,
  DiscussionReportCreate,
  DiscussionReportOfPost,
  DiscussionReportQuery,
  PostModeration,
} from "../../schema/api/discussions.ts";
import { listOf, pathIds } from "../../schema/api/fields.ts";

export const reportDiscussionPost = endpoint(
  {
    id: "reportDiscussionPost",
    method: "put",
    path: "/posts/{post_id}/report",
    summary: "Report a post to the staff",
    description: "One report for each person and post: said again, it replaces what was said.",
    ...ownOr("discussion:read"),
    params: pathIds("post_id"),
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
    ...may("discussion:moderate"),
    params: pathIds("offering_id"),
    query: DiscussionReportQuery,
    ...ok(listOf(DiscussionReportOfPost), "Newest first"),
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
    description: "Either settles the open reports of it.",
    ...may("discussion:moderate"),
    params: pathIds("post_id"),
    body: PostModeration,
    ...ok(DiscussionPost, "The post as staff see it"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => reports.moderatePost(deps.db, actor, params.post_id, body, deps.now()),
);
