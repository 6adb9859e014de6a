import { csvFileResponse } from "../../../lib/http/csv-file.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { reportToCsv } from "../../../lib/operations/analytics/csv.ts";
import { readReportFromReplica } from "../../../lib/operations/analytics/replica.ts";
import { universityReport } from "../../../lib/operations/analytics/university.ts";
import { UniversityReport, UniversityReportQuery } from "../../../schema/api/operations/analytics.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const getUniversityAnalytics = endpoint(
  {
    id: "getUniversityAnalytics",
    method: "get",
    path: "/{university_id}/analytics",
    summary: "Report on a university",
    description:
      "Covers the university, the courses of a department, or one offering, in total and by course. A " +
      "department_admin must send a `department_id` of theirs, and may add an offering of it. Without it " +
      "they receive 403. Days are in the university's time zone from `time_zone_from` on, and in UTC " +
      "before.",
    ...permittedTo("university-analytics:read"),
    scope: "reports:read",
    params: pathIds("university_id"),
    query: UniversityReportQuery,
    ...ok(UniversityReport, "The report", { "text/csv": "figure,of,value\r\nactive_users,,12\r\n" }),
    fails: [403, 404],
  },
  async ({ deps, actor, params, query, http }) => {
    const report = await readReportFromReplica(deps, (db) =>
      universityReport(db, actor, params.university_id, query, deps.now()),
    );
    return query.format === "csv" ? csvFileResponse(http, reportToCsv(report)) : report;
  },
);
