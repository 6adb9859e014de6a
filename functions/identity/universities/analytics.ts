import { csvFile } from "../../../lib/http/csv-file.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { csvOf } from "../../../lib/operations/analytics/csv.ts";
import { readReport } from "../../../lib/operations/analytics/replica.ts";
import { universityReport } from "../../../lib/operations/analytics/university.ts";
import { UniversityReport, UniversityReportQuery } from "../../../schema/api/operations/analytics.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const getUniversityAnalytics = endpoint(
  {
    id: "getUniversityAnalytics",
    method: "get",
    path: "/{university_id}/analytics",
    summary: "Report how a university is doing, in all and by course",
    description:
      "For its administrators: all of it, the courses of a department, or one offering. A department_admin names a department of theirs in `department_id`, and perhaps an offering of it; without one it is all of the university, which is a 403 to them. Days are those of the university's time zone from `time_zone_from` on, and of UTC before it.",
    ...may("university-analytics:read"),
    scope: "reports:read",
    params: pathIds("university_id"),
    query: UniversityReportQuery,
    ...ok(UniversityReport, "The report", { "text/csv": "figure,of,value\r\nactive_users,,12\r\n" }),
    fails: [403, 404],
  },
  async ({ deps, actor, params, query, http }) => {
    const report = await readReport(deps, (db) =>
      universityReport(db, actor, params.university_id, query, deps.now()),
    );
    return query.format === "csv" ? csvFile(http, csvOf(report)) : report;
  },
);
