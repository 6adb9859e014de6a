import type { Context } from "hono";
import { csvFileResponse } from "../../../lib/http/csv-file.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as assessments from "../../../lib/operations/analytics/assessments.ts";
import * as cache from "../../../lib/operations/analytics/cache.ts";
import * as community from "../../../lib/operations/analytics/community.ts";
import { reportToCsv } from "../../../lib/operations/analytics/csv.ts";
import * as engagement from "../../../lib/operations/analytics/engagement.ts";
import * as overview from "../../../lib/operations/analytics/overview.ts";
import { resolveReportPeriod } from "../../../lib/operations/analytics/period.ts";
import * as progress from "../../../lib/operations/analytics/progress.ts";
import { readReportFromReplica } from "../../../lib/operations/analytics/replica.ts";
import * as tutor from "../../../lib/operations/analytics/tutor.ts";
import {
  AssessmentsReport,
  CacheReport,
  CommunityReport,
  CoursePeriodQuery,
  EngagementReport,
  FormatQuery,
  OverviewReport,
  PeriodQuery,
  ProgressReport,
  ProgressReportQuery,
  TutorReport,
  TutorReportQuery,
} from "../../../schema/api/operations/analytics.ts";

const csvExample = { "text/csv": "figure,of,value\r\ntotal_registered_users,,12\r\n" };

export const getAdminAnalyticsOverview = endpoint(
  {
    id: "getAdminAnalyticsOverview",
    method: "get",
    path: "/analytics/overview",
    summary: "Report on sign-ups and active users",
    ...permittedTo("analytics:read"),
    query: PeriodQuery,
    ...ok(OverviewReport, "The report", csvExample),
  },
  async ({ deps, query, http }) => {
    const now = deps.now();
    return inFormat(
      http,
      query,
      await readReportFromReplica(deps, (db) =>
        overview.overviewReport(db, resolveReportPeriod(query, now), now),
      ),
    );
  },
);

export const getAdminAnalyticsEngagement = endpoint(
  {
    id: "getAdminAnalyticsEngagement",
    method: "get",
    path: "/analytics/engagement",
    summary: "Report on engagement",
    description: "Covers the use of topics (content items) and of the tutor.",
    ...permittedTo("analytics:read"),
    query: CoursePeriodQuery,
    ...ok(EngagementReport, "The report", csvExample),
    fails: [404],
  },
  async ({ deps, query, http }) => {
    const about = { ...resolveReportPeriod(query, deps.now()), course_id: query.course_id };
    return inFormat(
      http,
      query,
      await readReportFromReplica(deps, (db) => engagement.engagementReport(db, about)),
    );
  },
);

export const getAdminAnalyticsProgress = endpoint(
  {
    id: "getAdminAnalyticsProgress",
    method: "get",
    path: "/analytics/progress",
    summary: "Report on progress",
    description:
      "Covers progress in total and by course. A topic is a content item. A course tree is a person's " +
      "progress in the modules of one offering.",
    ...permittedTo("analytics:read"),
    query: ProgressReportQuery,
    ...ok(ProgressReport, "The report", csvExample),
    fails: [404],
  },
  async ({ deps, query, http }) => {
    const about = { ...resolveReportPeriod(query, deps.now()), course_id: query.course_id };
    return inFormat(
      http,
      query,
      await readReportFromReplica(deps, (db) => progress.progressReport(db, about, query)),
    );
  },
);

export const getAdminAnalyticsAssessments = endpoint(
  {
    id: "getAdminAnalyticsAssessments",
    method: "get",
    path: "/analytics/assessments",
    summary: "Report on quizzes and labs",
    description: "Assignments count as labs.",
    ...permittedTo("analytics:read"),
    query: CoursePeriodQuery,
    ...ok(AssessmentsReport, "The report", csvExample),
    fails: [404],
  },
  async ({ deps, query, http }) => {
    const about = { ...resolveReportPeriod(query, deps.now()), course_id: query.course_id };
    return inFormat(
      http,
      query,
      await readReportFromReplica(deps, (db) => assessments.assessmentsReport(db, about)),
    );
  },
);

export const getAdminAnalyticsCache = endpoint(
  {
    id: "getAdminAnalyticsCache",
    method: "get",
    path: "/analytics/cache",
    summary: "Report on the answer cache",
    description: "A message is cacheable while its conversation follows a shared path.",
    ...permittedTo("analytics:read"),
    query: FormatQuery,
    ...ok(CacheReport, "The report", csvExample),
  },
  async ({ deps, query, http }) =>
    inFormat(http, query, await readReportFromReplica(deps, cache.cacheReport)),
);

export const getAdminAnalyticsTutor = endpoint(
  {
    id: "getAdminAnalyticsTutor",
    method: "get",
    path: "/analytics/tutor",
    summary: "Report on tutor cost and savings",
    description: "Platform administrators see all universities, university administrators their own.",
    ...permittedTo("tutor-report:read"),
    scope: "reports:read",
    query: TutorReportQuery,
    ...ok(TutorReport, "The report", csvExample),
    fails: [403, 404],
  },
  async ({ deps, actor, query, http }) => {
    const about = { ...query, ...resolveReportPeriod(query, deps.now()) };
    return inFormat(
      http,
      query,
      await readReportFromReplica(deps, (db) => tutor.tutorReport(db, actor, about)),
    );
  },
);

export const getAdminAnalyticsCommunity = endpoint(
  {
    id: "getAdminAnalyticsCommunity",
    method: "get",
    path: "/analytics/community",
    summary: "Report on community activity",
    ...permittedTo("analytics:read"),
    query: FormatQuery,
    ...ok(CommunityReport, "The report", csvExample),
  },
  async ({ deps, query, http }) =>
    inFormat(http, query, await readReportFromReplica(deps, community.communityReport)),
);

function inFormat<Report extends object>(
  http: Context,
  { format }: { format: "json" | "csv" },
  report: Report,
): Report | Response {
  return format === "json" ? report : csvFileResponse(http, reportToCsv(report));
}
