import type { Course } from "./campus.ts";
import { type Day, daysAfter, daysOf, isIn, type Period } from "./days.ts";
import type { Activity, Ledger, Place } from "./ledger.ts";
import { countsByStatus, rounded } from "./screens.ts";

/** What a report is about: all places and activities, or those of some runs. */
export type Scope = Pick<Ledger, "places" | "activities">;

export const ofCourse = ({ places, activities }: Scope, course: Course): Scope => ({
  places: places.filter(({ run }) => run.course === course),
  activities: activities.filter(({ run }) => run.course === course),
});

const peopleIn = (activities: readonly Activity[], period: Period): number =>
  new Set(activities.filter(({ day }) => isIn(period, day)).map(({ learner }) => learner)).size;

/** Distinct people in so many days that end with the period, and on each of its days. */
export const activeIn = ({ activities }: Scope, { to }: Period, days: number): number =>
  peopleIn(activities, { from: daysAfter(to, 1 - days), to });

export const activeDaily = ({ activities }: Scope, period: Period) =>
  daysOf(period).map((date) => ({ date, count: peopleIn(activities, { from: date, to: date }) }));

const topics = ({ places }: Scope, which: "startedOn" | "doneOn", period: Period): number =>
  places.flatMap((place) => [...place[which].values()].filter((day) => isIn(period, day))).length;

/** Of the topics that were begun in the period, how many were completed until that day. */
const doneOfStarted = ({ places }: Scope, period: Period, until: Day): number =>
  places.flatMap(({ startedOn, doneOn }) =>
    [...startedOn].filter(([item, day]) => isIn(period, day) && (doneOn.get(item) ?? "never") <= until),
  ).length;

const droppedIn = ({ places }: Scope, period: Period): number =>
  places.filter(({ droppedOn }) => isIn(period, droppedOn)).length;

const completedIn = ({ places }: Scope, period: Period): number =>
  places.filter(({ completedOn }) => isIn(period, completedOn)).length;

const over = (amount: number, number: number): number | null => rounded(number ? amount / number : null);

/** What the platform's report on progress says. */
export const progressFigures = (scope: Scope, period: Period) => ({
  average_mastered_topics_per_user: over(topics(scope, "doneOn", period), peopleIn(scope.activities, period)),
  course_tree_completion_count: completedIn(scope, period),
  course_tree_interruption_count: scope.places.filter((place) => isInterrupted(scope, place, period)).length,
  total_enrollments: scope.places.length,
  enrollment_counts_by_status: countsByStatus(scope.places),
  drop_off_count: droppedIn(scope, period),
});

/** Whether someone has begun and not completed a course by the end of the period, and did nothing there for 14 days. */
function isInterrupted({ activities }: Scope, place: Place, { to }: Period): boolean {
  const begun = [...place.startedOn.values()].toSorted()[0];
  if (!begun || begun > to || (place.completedOn && place.completedOn <= to)) return false;
  const last = activities.findLast(
    ({ learner, run, day }) => learner === place.learner && run === place.run && day <= to && day >= begun,
  );
  return daysAfter(last?.day ?? begun, 14) <= to;
}

/** What its report on engagement says, but for durations: how long real requests take is nobody's plan. */
export function engagementFigures(scope: Scope, period: Period) {
  const asked = scope.activities.filter(({ asked, day }) => asked && isIn(period, day));
  const pairs = new Set(asked.map(({ learner, item }) => `${learner.id} ${item?.id}`)).size;
  const started = topics(scope, "startedOn", period);
  return {
    average_chat_turns_per_topic_per_user: over(asked.length, pairs),
    content_started_count: started,
    content_completed_count: topics(scope, "doneOn", period),
    completion_rate: over(doneOfStarted(scope, period, period.to), started),
  };
}

/** What a university's report says of all, of a department or of an offering, and of each course. */
export const universityFigures = (scope: Scope, period: Period) => ({
  active_users: peopleIn(scope.activities, period),
  total_enrollments: scope.places.length,
  enrollment_counts_by_status: countsByStatus(scope.places),
  new_enrollment_count: scope.places.filter(({ enrolledOn }) => isIn(period, enrolledOn)).length,
  completed_enrollment_count: completedIn(scope, period),
  drop_off_count: droppedIn(scope, period),
  content_started_count: topics(scope, "startedOn", period),
  content_completed_count: topics(scope, "doneOn", period),
  tutor_question_count: scope.activities.filter(({ asked, day }) => asked && isIn(period, day)).length,
});

export const completionOfStarted = (scope: Scope, period: Period): number | null =>
  over(doneOfStarted(scope, period, "9999"), topics(scope, "startedOn", period));

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
