import { type Day, daysAfter, daysOf, isIn, type Period } from "./days.ts";
import { daysBegun, daysDone, treeDoneOn } from "./definitions.ts";
import type { Activity, Enrollment, Ledger } from "./ledger.ts";
import { countsByStatus, rounded } from "./screens.ts";
import { type Course, pointsOf, type Run } from "./university.ts";

/*
 * What the figures of reports mean, in the words of definitions.ts. Of a period, unless it says otherwise; each topic and
 * each attempt counts once for each person and run.
 *
 * | active                  | people who did something on one of the days; in a week or a month that ends with the period
 * | content started         | topics that were begun
 * | content completed       | topics that were done
 * | completion rate         | of the topics begun, those that were done by the period's end; a university's: whenever
 * | mastered topics         | topics that were done, for each person who was active
 * | tree completed          | the last item of a course was done
 * | tree interrupted        | a course that was begun, not done by the period's end, and 14 days before that left alone
 * | enrollments by status   | how everyone stands now who ever enrolled, erased or not
 * | new, completed, dropped | enrollments that came to be so
 * | quiz attempts           | attempts that ended, by their taker or by their time; passed and failed are all of them
 * | average score           | the mean of what part of the points was had, of attempts that ended, of labs that are graded
 * | labs submitted          | work that was handed in, each attempt; graded: of these, what has a grade by now
 * | certificates            | issued, but none in place of another; revoked
 * | chat turns              | messages to the tutor, for each person and topic where there was one
 * | registered, new         | everyone who ever registered, erased or not; those of a day
 * | rating                  | the mean of all ratings that were given
 */

/** What a report is about: all that was done, or what was done in some runs. */
export type Scope = Pick<Ledger, "enrollments" | "activities" | "attempts" | "works" | "certificates">;

/** What belongs to runs that are asked for. */
export function within(scope: Scope, isMeant: (run: Run) => boolean): Scope {
  const isAt = ({ enrollment }: { enrollment: Enrollment }) => isMeant(enrollment.run);
  return {
    enrollments: scope.enrollments.filter(({ run }) => isMeant(run)),
    activities: scope.activities.filter(({ run }) => isMeant(run)),
    attempts: scope.attempts.filter(isAt),
    works: scope.works.filter(isAt),
    certificates: scope.certificates.filter(isAt),
  };
}

export const ofCourse = (scope: Scope, course: Course): Scope =>
  within(scope, (run) => run.course === course);

const peopleIn = (activities: readonly Activity[], period: Period): number =>
  new Set(activities.filter(({ day }) => isIn(period, day)).map(({ learner }) => learner)).size;

/** Distinct people in so many days that end with the period, and on each of its days. */
export const activeIn = ({ activities }: Scope, { to }: Period, days: number): number =>
  peopleIn(activities, { from: daysAfter(to, 1 - days), to });

export const activeDaily = ({ activities }: Scope, period: Period) =>
  daysOf(period).map((date) => ({ date, count: peopleIn(activities, { from: date, to: date }) }));

const topics = ({ enrollments }: Scope, daysOfItems: typeof daysBegun, period: Period): number =>
  enrollments.flatMap((enrollment) =>
    [...daysOfItems(enrollment).values()].filter((day) => isIn(period, day)),
  ).length;

/** Of the topics that were begun in the period, how many were completed until that day. */
const doneOfStarted = ({ enrollments }: Scope, period: Period, until: Day): number =>
  enrollments.flatMap((enrollment) => {
    const done = daysDone(enrollment);
    return [...daysBegun(enrollment)].filter(
      ([item, day]) => isIn(period, day) && (done.get(item) ?? "never") <= until,
    );
  }).length;

const droppedIn = ({ enrollments }: Scope, period: Period): number =>
  enrollments.filter(({ droppedOn }) => isIn(period, droppedOn)).length;

const completedIn = ({ enrollments }: Scope, period: Period): number =>
  enrollments.filter(({ completedOn }) => isIn(period, completedOn)).length;

const over = (amount: number, number: number): number | null => rounded(number ? amount / number : null);

/** What the platform's report on progress says. */
export const progressFigures = (scope: Scope, period: Period) => ({
  average_mastered_topics_per_user: over(topics(scope, daysDone, period), peopleIn(scope.activities, period)),
  course_tree_completion_count: scope.enrollments.filter((enrollment) => isIn(period, treeDoneOn(enrollment)))
    .length,
  course_tree_interruption_count: scope.enrollments.filter((enrollment) =>
    isInterrupted(scope, enrollment, period),
  ).length,
  total_enrollments: scope.enrollments.length,
  enrollment_counts_by_status: countsByStatus(scope.enrollments),
  drop_off_count: droppedIn(scope, period),
});

/** Whether someone has begun and not completed a course by the end of the period, and 14 days nothing was done there. */
function isInterrupted({ activities }: Scope, enrollment: Enrollment, { to }: Period): boolean {
  const begins = [...daysBegun(enrollment).values()].toSorted();
  const begun = begins[0];
  if (!begun || begun > to || (treeDoneOn(enrollment) ?? "never") <= to) return false;
  // What staff excuse is done without the learner, and what another of a group hands in is begun without them.
  const moved = [...begins, ...daysDone(enrollment).values()].filter((day) => day <= to);
  const active = activities.filter(
    ({ learner, run, day }) =>
      learner === enrollment.learner && run === enrollment.run && day <= to && day >= begun,
  );
  const last = [...moved, ...active.map(({ day }) => day)].toSorted().at(-1) ?? begun;
  return daysAfter(last, 14) <= to;
}

/** What its report on engagement says, but for durations: how long real requests take is nobody's plan. */
export function engagementFigures(scope: Scope, period: Period) {
  const asked = scope.activities.filter(({ asked, day }) => asked && isIn(period, day));
  const pairs = new Set(asked.map(({ learner, item }) => `${learner.id} ${item?.id}`)).size;
  const started = topics(scope, daysBegun, period);
  return {
    average_chat_turns_per_topic_per_user: over(asked.length, pairs),
    content_started_count: started,
    content_completed_count: topics(scope, daysDone, period),
    completion_rate: over(doneOfStarted(scope, period, period.to), started),
  };
}

/** What a university's report says of all, of a department or of an offering, and of each course. */
export const universityFigures = (scope: Scope, period: Period) => ({
  active_users: peopleIn(scope.activities, period),
  total_enrollments: scope.enrollments.length,
  enrollment_counts_by_status: countsByStatus(scope.enrollments),
  new_enrollment_count: scope.enrollments.filter(({ enrolledOn }) => isIn(period, enrolledOn)).length,
  completed_enrollment_count: completedIn(scope, period),
  drop_off_count: droppedIn(scope, period),
  content_started_count: topics(scope, daysBegun, period),
  content_completed_count: topics(scope, daysDone, period),
  tutor_question_count: scope.activities.filter(({ asked, day }) => asked && isIn(period, day)).length,
  quiz_attempt_count: takenIn(scope, period).length,
  quiz_pass_count: takenIn(scope, period).filter(({ passed }) => passed).length,
  certificate_issue_count: issuedIn(scope, period),
});

/** Attempts count on the day on which they ended. */
const takenIn = ({ attempts }: Scope, period: Period) =>
  attempts.filter(({ endedOn }) => isIn(period, endedOn));

/** One that is in place of another counts no second time. */
const issuedIn = ({ certificates }: Scope, period: Period): number =>
  certificates.filter(({ issuedOn, isAnew }) => !isAnew && isIn(period, issuedOn)).length;

/** What the platform's report on assessments says, of all or of a course. */
export function assessmentFigures(scope: Scope, period: Period) {
  const taken = takenIn(scope, period);
  const passed = taken.filter((attempt) => attempt.passed).length;
  const handedIn = scope.works.filter(({ day }) => isIn(period, day));
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
      sum(graded.map(({ score = 0 }) => score / pointsOf.engineering_lab)),
      graded.length,
    ),
    // Nothing is an assignment there.
    assignment_submission_count: 0,
    assignment_graded_count: 0,
    average_assignment_score: null,
    certificate_issue_count: issuedIn(scope, period),
    certificate_revocation_count: scope.certificates.filter(({ revokedOn }) => isIn(period, revokedOn))
      .length,
  };
}

export const completionOfStarted = (scope: Scope, period: Period): number | null =>
  over(doneOfStarted(scope, period, "9999"), topics(scope, daysBegun, period));

const buckets: [least: number, label: string][] = [
  [0, "0"],
  [1, "1"],
  [2, "2-6"],
  [7, "7-13"],
  [14, "14-29"],
  [30, "30-99"],
  [100, "100+"],
];

/** Everyone by the number of days in a row on which they were active until today, or until yesterday. */
export function streaks({ signups, activities }: Ledger, today: Day) {
  const days = Map.groupBy(activities, ({ learner }) => learner);
  const lengths = [...days.values()].map((mine) => {
    const active = new Set(mine.map(({ day }) => day));
    let day = active.has(today) ? today : daysAfter(today, -1);
    let length = 0;
    for (; active.has(day); day = daysAfter(day, -1)) length += 1;
    return length;
  });
  const all = [...lengths, ...Array<number>(signups.length - lengths.length).fill(0)];
  return buckets.map(([least, bucket], index) => ({
    bucket,
    users: all.filter((length) => length >= least && length < (buckets[index + 1]?.[0] ?? Infinity)).length,
  }));
}
