import { type ApiClient, type JsonBody, signInForApiClient } from "./client.ts";
import { daysInPeriod, type SimulatedDay, type SimulatedPeriod } from "./days.ts";
import {
  activePeopleByDay,
  completionRateOfStarted,
  countActivePeople,
  countPeopleByStreak,
  expectedAssessmentFigures,
  expectedEngagementFigures,
  expectedProgressFigures,
  expectedUniversityFigures,
  filterReportRecordsByRun,
  type ReportSourceRecords,
  reportRecordsOfCourse,
} from "./figures.ts";
import type { SimulationLedger } from "./ledger.ts";
import { roundFloatingPoint } from "./screens.ts";
import type { ServiceUnderTest } from "./service.ts";
import { type SimulatedUniversity, staffEmails } from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

/** Compares all reports of platform and university in these periods with the ledger. */
export async function checkReports(
  at: At,
  university: SimulatedUniversity,
  periods: readonly SimulatedPeriod[],
): Promise<void> {
  const admin = await signInForApiClient(at.service, staffEmails.admin);
  for (const period of periods) {
    await holdPlatform(at, admin, university, period);
    await holdUniversity(at, admin, university, period);
  }
  await holdTutor(at, admin, university, periods[0] ?? { from: at.day, to: at.day });
  await holdCommunity(at, admin);
}

/** The expected figures of a response, with fractions rounded. */
const among = (told: JsonBody, expected: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(expected).map((name) => [
      name,
      typeof told[name] === "number" ? roundFloatingPoint(told[name]) : told[name],
    ]),
  );

const query = ({ from, to }: SimulatedPeriod): string => `?date_from=${from}&date_to=${to}`;

async function holdPlatform(
  { ledger, day }: At,
  admin: ApiClient,
  { runs }: SimulatedUniversity,
  period: SimulatedPeriod,
): Promise<void> {
  const report = (name: string, rest = "") => admin.get(`/admin/analytics/${name}${query(period)}${rest}`);
  const hold = (what: string, told: JsonBody, done: Record<string, unknown>) =>
    ledger.hold(`${what}, ${period.from} to ${period.to}`, among(told, done), done);

  hold("The overview", await report("overview"), {
    total_registered_users: ledger.signups.length,
    daily_new_signups: daysInPeriod(period).map((date) => ({
      date,
      count: ledger.signups.filter((signup) => signup === date).length,
    })),
    daily_active_users: activePeopleByDay(ledger, period),
    weekly_active_users: countActivePeople(ledger, period, 7),
    monthly_active_users: countActivePeople(ledger, period, 30),
    streak_distribution: countPeopleByStreak(ledger, day),
  });
  hold("Engagement", await report("engagement"), expectedEngagementFigures(ledger, period));
  const progress = await report("progress");
  hold(
    "Progress",
    { ...progress, average_mastered_topics_per_user: progress.average_mastered_topics_per_user },
    expectedProgressFigures(ledger, period),
  );
  for (const { course } of runs) {
    const told = progress.per_course_breakdown.find((one: JsonBody) => one.course_id === course.id);
    hold(
      `Progress in ${course.code}`,
      told,
      expectedProgressFigures(reportRecordsOfCourse(ledger, course), period),
    );
    const engaged = await report("engagement", `&course_id=${course.id}`);
    hold(
      `Engagement in ${course.code}`,
      engaged,
      expectedEngagementFigures(reportRecordsOfCourse(ledger, course), period),
    );
    const assessed = await report("assessments", `&course_id=${course.id}`);
    hold(
      `Assessments in ${course.code}`,
      assessed,
      expectedAssessmentFigures(reportRecordsOfCourse(ledger, course), period),
    );
  }
  hold("Assessments", await report("assessments"), expectedAssessmentFigures(ledger, period));
}

async function holdUniversity(
  { ledger }: At,
  admin: ApiClient,
  university: SimulatedUniversity,
  period: SimulatedPeriod,
): Promise<void> {
  const holdPart = async (what: string, filter: string, part: ReportSourceRecords) => {
    const told = await admin.get(`/universities/${university.id}/analytics${query(period)}${filter}`);
    const done = {
      ...expectedUniversityFigures(part, period),
      completion_rate: completionRateOfStarted(part, period),
      weekly_active_users: countActivePeople(part, period, 7),
      monthly_active_users: countActivePeople(part, period, 30),
      daily_active_users: activePeopleByDay(part, period),
    };
    ledger.hold(`${what}, ${period.from} to ${period.to}`, among(told, done), done);
    return told;
  };
  const whole = await holdPart("The university", "", ledger);
  for (const { course } of university.runs) {
    const told = whole.per_course_breakdown.find((one: JsonBody) => one.course_id === course.id);
    const done = expectedUniversityFigures(reportRecordsOfCourse(ledger, course), period);
    ledger.hold(`The university's ${course.code}`, among(told, done), done);
  }
  for (const department of university.departments)
    await holdPart(
      `Department ${department}`,
      `&department_id=${department}`,
      filterReportRecordsByRun(ledger, ({ course }) => course.department === department),
    );
  for (const run of [...university.runs.slice(0, 3), university.second])
    await holdPart(
      `Run ${run.id} of ${run.course.code}`,
      `&offering_id=${run.id}`,
      filterReportRecordsByRun(ledger, (one) => one === run),
    );
}

type Talk = SimulationLedger["conversations"][number];

/** All conversations are before the last day, so the whole period contains them. */
async function holdTutor(
  { ledger }: At,
  admin: ApiClient,
  university: SimulatedUniversity,
  period: SimulatedPeriod,
): Promise<void> {
  const sum = (talks: readonly Talk[], of: "hits" | "calls") =>
    talks.reduce((all, talk) => all + talk[of], 0);
  const figuresOf = (talks: readonly Talk[]) => ({
    calls: sum(talks, "calls"),
    hits: sum(talks, "hits"),
    joined: 0,
    calls_saved: sum(talks, "hits"),
  });
  const talks = ledger.conversations;
  const told = await admin.get(`/admin/analytics/tutor${query(period)}`);
  ledger.hold("The tutor", among(told, figuresOf([])), figuresOf(talks));
  for (const { course } of university.runs) {
    const own = talks.filter(({ run }) => run.course === course);
    const row =
      told.per_course_breakdown.find((one: JsonBody) => one.course_id === course.id) ?? figuresOf([]);
    ledger.hold(`The tutor of ${course.code}`, among(row, figuresOf([])), figuresOf(own));
  }
  const diverged = talks.filter((talk) => talk.diverged).length;
  const misses = sum(talks, "calls") - diverged;
  const hits = sum(talks, "hits");
  const done = {
    cache_hit_count: hits,
    cache_miss_count: misses,
    hit_rate: roundFloatingPoint(hits + misses ? hits / (hits + misses) : null),
    session_divergence_rate: roundFloatingPoint(talks.length ? diverged / talks.length : null),
    total_cached_nodes: ledger.stored.size,
    total_hits_served: hits,
  };
  ledger.hold("Stored answers", among(await admin.get("/admin/analytics/cache"), done), done);
}

async function holdCommunity({ ledger }: At, admin: ApiClient): Promise<void> {
  const { ratings } = ledger;
  const done = {
    total_notes: ledger.notes,
    total_discussion_threads: ledger.threads,
    total_discussion_posts: ledger.posts,
    average_course_rating: roundFloatingPoint(
      ratings.length ? ratings.reduce((sum, one) => sum + one, 0) / ratings.length : null,
    ),
    total_reviews: ratings.length,
  };
  ledger.hold("Community", among(await admin.get("/admin/analytics/community"), done), done);
}
