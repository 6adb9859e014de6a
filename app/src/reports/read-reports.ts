import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { apiClient } from "../service.ts";

export type ReportPeriodQuery = { date_from?: string; date_to?: string };

export type SelectedReportScope =
  | { kind: "platform" }
  | { kind: "university"; university: number }
  | { kind: "department"; university: number; department: number }
  /** `department` is the one it was chosen in. */
  | { kind: "offering"; university: number; department?: number; offering: number; course: number };

/** The reports of a scope. Some exist only for the platform, and none on the tutor for departments. */
export type LoadedReports = {
  tutor?: Schemas["TutorReport"];
  overview?: Schemas["OverviewReport"];
  engagement?: Schemas["EngagementReport"];
  progress?: Schemas["ProgressReport"];
  assessments?: Schemas["AssessmentsReport"];
  cache?: Schemas["CacheReport"];
  community?: Schemas["CommunityReport"];
  university?: Schemas["UniversityReport"];
  /** Inactive learners, least progress first. */
  stuck?: Schemas["RosterEntry"][];
};

/** The period. Every scope has one of the two reports. */
export const reportedPeriod = ({ tutor, university }: LoadedReports): Required<ReportPeriodQuery> => ({
  date_from: (tutor ?? university)?.date_from ?? "",
  date_to: (tutor ?? university)?.date_to ?? "",
});

export type ReportName = Exclude<keyof LoadedReports, "stuck">;

const maxReportCoursesPerRequest = 1000;

type Init = { signal?: AbortSignal; parseAs?: "blob" };
type Format = { format?: "csv" };

function readers(scope: SelectedReportScope, period: ReportPeriodQuery, init: Init, format: Format = {}) {
  const ofPeriod = { params: { query: { ...period, ...format } }, ...init };
  const now = { params: { query: format }, ...init };
  const course = scope.kind === "offering" ? { course_id: scope.course } : {};
  const university = scope.kind === "platform" ? {} : { university_id: scope.university };
  const offering = scope.kind === "offering" ? { offering_id: scope.offering } : {};
  const chosen = departmentOf(scope);
  const department = chosen === undefined ? {} : { department_id: chosen };
  const byCourse = (skip: number) => ({ ...period, ...format, skip, limit: maxReportCoursesPerRequest });
  return {
    overview: () => apiClient.getAdminAnalyticsOverview(ofPeriod),
    engagement: () => apiClient.getAdminAnalyticsEngagement(ofPeriod),
    progress: (skip = 0) =>
      apiClient.getAdminAnalyticsProgress({ params: { query: byCourse(skip) }, ...init }),
    assessments: () => apiClient.getAdminAnalyticsAssessments(ofPeriod),
    cache: () => apiClient.getAdminAnalyticsCache(now),
    community: () => apiClient.getAdminAnalyticsCommunity(now),
    tutor: (skip = 0) =>
      apiClient.getAdminAnalyticsTutor({
        params: { query: { ...byCourse(skip), ...course, ...university } },
        ...init,
      }),
    university: (skip = 0) =>
      apiClient.getUniversityAnalytics({
        params: {
          path: { university_id: scope.kind === "platform" ? 0 : scope.university },
          query: { ...byCourse(skip), ...department, ...offering },
        },
        ...init,
      }),
  };
}

const departmentOf = (scope: SelectedReportScope): number | undefined =>
  scope.kind === "department" || scope.kind === "offering" ? scope.department : undefined;

/** The JSON report. Without a format the API never returns text. */
const figuresOf = async <Data>(answer: Answer<Data>): Promise<Exclude<Data, string>> =>
  (await dataOf(answer)) as Exclude<Data, string>;

/** Reads all pages, since the largest courses may be on any of them. */
async function withEveryCourse<Report extends { per_course_breakdown: unknown[] }>(
  read: (skip: number) => Promise<Report>,
): Promise<Report> {
  const courses: Report["per_course_breakdown"] = [];
  for (;;) {
    const part = await read(courses.length);
    courses.push(...part.per_course_breakdown);
    if (part.per_course_breakdown.length < maxReportCoursesPerRequest)
      return { ...part, per_course_breakdown: courses };
  }
}

type Answer<Data> = Promise<{ data?: Data; error?: unknown; response: Response }>;

/** All reports of a scope. For an offering also the inactive learners. */
export async function readReports(
  scope: SelectedReportScope,
  period: ReportPeriodQuery,
  signal: AbortSignal,
): Promise<LoadedReports> {
  const read = readers(scope, period, { signal });
  if (scope.kind === "platform") {
    const [tutor, overview, engagement, progress, assessments, cache, community] = await Promise.all([
      withEveryCourse((skip) => figuresOf(read.tutor(skip))),
      figuresOf(read.overview()),
      figuresOf(read.engagement()),
      withEveryCourse((skip) => figuresOf(read.progress(skip))),
      figuresOf(read.assessments()),
      figuresOf(read.cache()),
      figuresOf(read.community()),
    ]);
    return { overview, engagement, progress, assessments, cache, tutor, community };
  }
  const [university, tutor] = await Promise.all([
    withEveryCourse((skip) => figuresOf(read.university(skip))),
    departmentOf(scope) === undefined ? withEveryCourse((skip) => figuresOf(read.tutor(skip))) : undefined,
  ]);
  const found = { ...(tutor && { tutor }), university };
  if (scope.kind !== "offering") return found;
  const path = { course_id: scope.course, offering_id: scope.offering };
  const query = { limit: maxReportCoursesPerRequest, sort: "progress_percent" as const, is_stuck: true };
  const params = { path, query };
  return { ...found, stuck: await allOf(apiClient.listCourseOfferingEnrollments, { params, signal }) };
}

/** The same as CSV. */
export async function fetchReportCsv(
  name: ReportName,
  scope: SelectedReportScope,
  period: ReportPeriodQuery,
): Promise<Blob> {
  const read = readers(scope, period, { parseAs: "blob" }, { format: "csv" });
  return (await dataOf<unknown>(read[name]())) as Blob;
}
