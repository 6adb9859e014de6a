import { type ApiClient, type JsonBody, signInForApiClient } from "./client.ts";
import type { SimulatedDay, SimulatedPeriod } from "./days.ts";
import type { SimulationLedger } from "./ledger.ts";
import type { ServiceUnderTest } from "./service.ts";
import { allRunsOfUniversity, type SimulatedUniversity, staffEmails } from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

type Printed = { path: string; on: SimulatedDay; told: JsonBody };

/*
 * A registrar prints reports of past days. Requested later, each must be equal: learning, grading, drops and
 * erasures afterwards do not change past events. Current states, and later results, are of the day of the
 * request.
 */

/** Figures of the time of the request, for any period. */
const standing = new Set([
  "total_registered_users",
  "streak_distribution",
  "total_enrollments",
  "enrollment_counts_by_status",
  "as_of",
]);

/** For a university, topics begun in the period count as completed at any time. */
const standingOfUniversity = new Set([...standing, "completion_rate"]);

const period = ({ from, to }: SimulatedPeriod): string => `date_from=${from}&date_to=${to}`;

/** Addresses of all reports of a period: platform, courses, university, departments and runs. */
function paths(university: SimulatedUniversity, of: SimulatedPeriod): string[] {
  const admin = ["overview", "engagement", "progress", "assessments", "tutor"];
  const report = `/universities/${university.id}/analytics?${period(of)}`;
  return [
    ...admin.map((name) => `/admin/analytics/${name}?${period(of)}`),
    ...university.runs.flatMap(({ course }) =>
      ["engagement", "progress", "assessments"].map(
        (name) => `/admin/analytics/${name}?${period(of)}&course_id=${course.id}`,
      ),
    ),
    report,
    ...university.departments.map((id) => `${report}&department_id=${id}`),
    ...allRunsOfUniversity(university).map(({ id }) => `${report}&offering_id=${id}`),
    `/admin/analytics/tutor?${period(of)}&university_id=${university.id}`,
  ];
}

const timeless = ["/admin/analytics/cache", "/admin/analytics/community"];

const draw = async (admin: ApiClient, all: readonly string[], on: SimulatedDay): Promise<Printed[]> => {
  const printed: Printed[] = [];
  for (const path of all) printed.push({ path, on, told: await admin.get(path) });
  return printed;
};

/** Prints reports of a past period with all work graded. */
export async function captureReports(
  { service, day }: At,
  university: SimulatedUniversity,
  of: SimulatedPeriod,
): Promise<Printed[]> {
  return draw(await signInForApiClient(service, staffEmails.admin), paths(university, of), day);
}

/** Requests the printed reports again, and compares their past figures. */
export async function checkCapturedReports(
  { service, ledger, day }: At,
  folder: readonly Printed[],
): Promise<void> {
  const admin = await signInForApiClient(service, staffEmails.admin);
  for (const { path, on, told } of folder) {
    const left = path.startsWith("/universities") ? standingOfUniversity : standing;
    ledger.hold(
      `${path}, printed on ${on}, on ${day}`,
      without(await admin.get(path), left),
      without(told, left),
    );
  }
}

/** Checks that an event changes no report at that moment. */
export async function expectReportsUnchanged(
  { service, ledger, day }: At,
  [university, of]: [SimulatedUniversity, SimulatedPeriod],
  [what, happen]: [string, () => Promise<void>],
): Promise<void> {
  const all = [...paths(university, of), ...timeless];
  const before = await draw(await signInForApiClient(service, staffEmails.admin), all, day);
  await happen();
  const after = await draw(await signInForApiClient(service, staffEmails.admin), all, day);
  for (const [index, { path, told }] of before.entries())
    ledger.hold(`${path} after ${what} on ${day}`, without(after[index]?.told, ofNow), without(told, ofNow));
}

/** Erased people have no streak. */
const ofNow = new Set(["streak_distribution", "as_of"]);

/** A report without some figures, also in its breakdown. */
function without(told: JsonBody, names: ReadonlySet<string>): JsonBody {
  if (Array.isArray(told)) return told.map((one) => without(one, names));
  if (typeof told !== "object" || told === null) return told;
  const kept = Object.entries(told).filter(([name]) => !names.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, without(value, names)]));
}
