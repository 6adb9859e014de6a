import { addDays, daysInPeriod, isDayInPeriod, type SimulatedDay, type SimulatedPeriod } from "./days.ts";
import { begunDaysByItem, completionDaysByItem, courseCompletionDay } from "./definitions.ts";
import type { ExpectedActivity, ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import { countEnrollmentsByStatus, roundFloatingPoint } from "./screens.ts";
import { type CourseRun, maxPointsByItemKind, type SimulatedCourse } from "./university.ts";

/*
 * Definitions of the reports' figures, in the terms of definitions.ts. Figures are for a period unless
 * stated; topics and attempts count once per user and run. - active: people with activity on a day, or in a
 * week or month that ends with the period - content started: begun topics - content completed: done topics -
 * completion rate: done by the period's end, of begun topics; for a university: done at any time - mastered
 * topics: done topics per active person - tree completed: a course's last item was done - tree interrupted: a
 * begun course, not done by the period's end and inactive for its last 14 days - enrollments by status: the
 * current state of all enrollments ever, including erased people - new, completed, dropped: enrollments that
 * changed so - quiz attempts: attempts that ended, by submission or time; passed plus failed is all of them -
 * average score: mean share of points of ended attempts, and of graded labs - labs submitted: each
 * submission; graded: those with a grade by now - certificates: issued, except reissued ones; revoked - chat
 * turns: messages to the tutor, per person and topic with at least one - registered, new: all registrations
 * ever, including erased people; new ones of a day - rating: mean of all ratings
 */

/** A report's data: everything, or some runs only. */
export type ReportSourceRecords = Pick<
  SimulationLedger,
  "enrollments" | "activities" | "attempts" | "works" | "certificates"
>;

export function filterReportRecordsByRun(
  scope: ReportSourceRecords,
  isMeant: (run: CourseRun) => boolean,
): ReportSourceRecords {
  const isAt = ({ enrollment }: { enrollment: ExpectedEnrollment }) => isMeant(enrollment.run);
  return {
    enrollments: scope.enrollments.filter(({ run }) => isMeant(run)),
    activities: scope.activities.filter(({ run }) => isMeant(run)),
    attempts: scope.attempts.filter(isAt),
    works: scope.works.filter(isAt),
    certificates: scope.certificates.filter(isAt),
  };
}

export const reportRecordsOfCourse = (
  scope: ReportSourceRecords,
  course: SimulatedCourse,
): ReportSourceRecords => filterReportRecordsByRun(scope, (run) => run.course === course);

const peopleIn = (activities: readonly ExpectedActivity[], period: SimulatedPeriod): number =>
  new Set(activities.filter(({ day }) => isDayInPeriod(period, day)).map(({ learner }) => learner)).size;

/** Distinct people in the `days` that end with the period. */
export const countActivePeople = (
  { activities }: ReportSourceRecords,
  { to }: SimulatedPeriod,
  days: number,
): number => peopleIn(activities, { from: addDays(to, 1 - days), to });

export const activePeopleByDay = ({ activities }: ReportSourceRecords, period: SimulatedPeriod) =>
  daysInPeriod(period).map((date) => ({ date, count: peopleIn(activities, { from: date, to: date }) }));

const topics = (
  { enrollments }: ReportSourceRecords,
  daysOfItems: typeof begunDaysByItem,
  period: SimulatedPeriod,
): number =>
  enrollments.flatMap((enrollment) =>
    [...daysOfItems(enrollment).values()].filter((day) => isDayInPeriod(period, day)),
  ).length;

/** Of the topics begun in the period, those completed by that day. */
const doneOfStarted = (
  { enrollments }: ReportSourceRecords,
  period: SimulatedPeriod,
  until: SimulatedDay,
): number =>
  enrollments.flatMap((enrollment) => {
    const done = completionDaysByItem(enrollment);
    return [...begunDaysByItem(enrollment)].filter(
      ([item, day]) => isDayInPeriod(period, day) && (done.get(item) ?? "never") <= until,
    );
  }).length;

const droppedIn = ({ enrollments }: ReportSourceRecords, period: SimulatedPeriod): number =>
  enrollments.filter(({ droppedOn }) => isDayInPeriod(period, droppedOn)).length;

const completedIn = ({ enrollments }: ReportSourceRecords, period: SimulatedPeriod): number =>
  enrollments.filter(({ completedOn }) => isDayInPeriod(period, completedOn)).length;

const over = (amount: number, number: number): number | null =>
  roundFloatingPoint(number ? amount / number : null);

/** Figures of the platform's progress report. */
export const expectedProgressFigures = (scope: ReportSourceRecords, period: SimulatedPeriod) => ({
  average_mastered_topics_per_user: over(
    topics(scope, completionDaysByItem, period),
    peopleIn(scope.activities, period),
  ),
  course_tree_completion_count: scope.enrollments.filter((enrollment) =>
    isDayInPeriod(period, courseCompletionDay(enrollment)),
  ).length,
  course_tree_interruption_count: scope.enrollments.filter((enrollment) =>
    isInterrupted(scope, enrollment, period),
  ).length,
  total_enrollments: scope.enrollments.length,
  enrollment_counts_by_status: countEnrollmentsByStatus(scope.enrollments),
  drop_off_count: droppedIn(scope, period),
});

/** True if a course was begun, not completed by the period's end, and inactive for its last 14 days. */
function isInterrupted(
  { activities }: ReportSourceRecords,
  enrollment: ExpectedEnrollment,
  { to }: SimulatedPeriod,
): boolean {
  const begins = [...begunDaysByItem(enrollment).values()].toSorted();
  const begun = begins[0];
  if (!begun || begun > to || (courseCompletionDay(enrollment) ?? "never") <= to) return false;
  // Excused items are done, and group submissions begun, without activity of the learner.
  const moved = [...begins, ...completionDaysByItem(enrollment).values()].filter((day) => day <= to);
  const active = activities.filter(
    ({ learner, run, day }) =>
      learner === enrollment.learner && run === enrollment.run && day <= to && day >= begun,
  );
  const last = [...moved, ...active.map(({ day }) => day)].toSorted().at(-1) ?? begun;
  return addDays(last, 14) <= to;
}

/** Figures of the engagement report, except durations, which depend on real requests. */
export function expectedEngagementFigures(scope: ReportSourceRecords, period: SimulatedPeriod) {
  const asked = scope.activities.filter(({ asked, day }) => asked && isDayInPeriod(period, day));
  const pairs = new Set(asked.map(({ learner, item }) => `${learner.id} ${item?.id}`)).size;
  const started = topics(scope, begunDaysByItem, period);
  return {
    average_chat_turns_per_topic_per_user: over(asked.length, pairs),
    content_started_count: started,
    content_completed_count: topics(scope, completionDaysByItem, period),
    completion_rate: over(doneOfStarted(scope, period, period.to), started),
  };
}

/** Figures of a university's report: overall, per department, offering and course. */
export const expectedUniversityFigures = (scope: ReportSourceRecords, period: SimulatedPeriod) => ({
  active_users: peopleIn(scope.activities, period),
  total_enrollments: scope.enrollments.length,
  enrollment_counts_by_status: countEnrollmentsByStatus(scope.enrollments),
  new_enrollment_count: scope.enrollments.filter(({ enrolledOn }) => isDayInPeriod(period, enrolledOn))
    .length,
  completed_enrollment_count: completedIn(scope, period),
  drop_off_count: droppedIn(scope, period),
  content_started_count: topics(scope, begunDaysByItem, period),
  content_completed_count: topics(scope, completionDaysByItem, period),
  tutor_question_count: scope.activities.filter(({ asked, day }) => asked && isDayInPeriod(period, day))
    .length,
  quiz_attempt_count: takenIn(scope, period).length,
  quiz_pass_count: takenIn(scope, period).filter(({ passed }) => passed).length,
  certificate_issue_count: issuedIn(scope, period),
});

/** Attempts count on the day on which they ended. */
const takenIn = ({ attempts }: ReportSourceRecords, period: SimulatedPeriod) =>
  attempts.filter(({ endedOn }) => isDayInPeriod(period, endedOn));

/** A reissued certificate does not count again. */
const issuedIn = ({ certificates }: ReportSourceRecords, period: SimulatedPeriod): number =>
  certificates.filter(({ issuedOn, isAnew }) => !isAnew && isDayInPeriod(period, issuedOn)).length;

/** Figures of the platform's assessment report, overall or per course. */
export function expectedAssessmentFigures(scope: ReportSourceRecords, period: SimulatedPeriod) {
  const taken = takenIn(scope, period);
  const passed = taken.filter((attempt) => attempt.passed).length;
  const handedIn = scope.works.filter(({ day }) => isDayInPeriod(period, day));
  const graded = handedIn.filter(({ state }) => state === "graded");
  const sum = (shares: number[]) => shares.reduce((all, share) => all + share, 0);
  return {
    quiz_attempt_count: taken.length,
    quiz_pass_count: passed,
    quiz_fail_count: taken.length - passed,
    quiz_pass_rate: over(passed, taken.length),
    average_quiz_score: over(sum(taken.map(({ score, most }) => score / most)), taken.length),
    lab_submission_count: handedIn.length,
    lab_graded_count: graded.length,
    average_lab_score: over(
      sum(graded.map(({ score = 0 }) => score / maxPointsByItemKind.engineering_lab)),
      graded.length,
    ),
    // The simulation has no assignments.
    assignment_submission_count: 0,
    assignment_graded_count: 0,
    average_assignment_score: null,
    certificate_issue_count: issuedIn(scope, period),
    certificate_revocation_count: scope.certificates.filter(({ revokedOn }) =>
      isDayInPeriod(period, revokedOn),
    ).length,
  };
}

export const completionRateOfStarted = (scope: ReportSourceRecords, period: SimulatedPeriod): number | null =>
  over(doneOfStarted(scope, period, "9999"), topics(scope, begunDaysByItem, period));

const buckets: [least: number, label: string][] = [
  [0, "0"],
  [1, "1"],
  [2, "2-6"],
  [7, "7-13"],
  [14, "14-29"],
  [30, "30-99"],
  [100, "100+"],
];

/** Number of people by current streak: consecutive active days until today or yesterday. */
export function countPeopleByStreak({ signups, activities }: SimulationLedger, today: SimulatedDay) {
  const days = Map.groupBy(activities, ({ learner }) => learner);
  const lengths = [...days.values()].map((mine) => {
    const active = new Set(mine.map(({ day }) => day));
    let day = active.has(today) ? today : addDays(today, -1);
    let length = 0;
    for (; active.has(day); day = addDays(day, -1)) length += 1;
    return length;
  });
  const all = [...lengths, ...Array<number>(signups.length - lengths.length).fill(0)];
  return buckets.map(([least, bucket], index) => ({
    bucket,
    users: all.filter((length) => length >= least && length < (buckets[index + 1]?.[0] ?? Infinity)).length,
  }));
}
