import { type Day, daysAfter, daysBetween } from "./days.ts";
import type { Attempt, Deed, Enrollment, Ledger, Work } from "./ledger.ts";
import { type Item, pointsOf } from "./university.ts";

/*
 * What is said of someone in a course, from what they and their staff did and from nothing that the service keeps. Each
 * is a sentence that a learner or a registrar would be told:
 *
 * | begun      | the first time that someone posts progress in an item, starts an attempt at it, hands in work for it, or gets
 * |            | a score or an excuse from staff in place of that
 * | done       | a text is done when 100 percent of it are posted; a quiz on the day of the first attempt that is passed, a
 * |            | lab on the day on which the first work that was graded had been handed in; or when staff say so in its place
 * | percent    | what is done is 100; of a text what was posted last, of all else nothing; of a course the mean of its items
 * | attempt    | the newest at an item: which it is of those that count, of how many, what came of it
 * | counted    | attempts at an exam, or at a quiz of a graded run, count over all runs of the course in the term, and those
 * |            | of an account that the same person had before and erased count too
 * | due by     | of the groups of someone that say a day the latest, else what the run says, else the course; and the days that
 * |            | the university gives that person
 * | days late  | each that has begun since then; work of the day on which it is due is a day late. Who is given more time
 * |            | later is late no more
 * | possible   | a quiz that is open, or has an attempt left in a run that goes on; work that is taken, late or not, before
 * |            | the final grade
 * | next       | the first item in the order of the course that is open, not done, waits for no grade and is possible; a
 * |            | practice quiz that counts in no grade comes when nothing else is left
 * | due        | what is not done, waits for no grade and is possible
 */

const daysOf = (deed: Deed): Day => (deed.kind === "attempt" ? deed.startedOn : deed.day);

const earliest = (days: readonly (Day | undefined)[]): Day | undefined =>
  days.filter((day) => day !== undefined).toSorted()[0];

const deedsAt = (enrollment: Enrollment, item: Item): Deed[] =>
  enrollment.deeds.filter((deed) => deed.item === item);

export const begunOn = (enrollment: Enrollment, item: Item): Day | undefined =>
  earliest(deedsAt(enrollment, item).map(daysOf));

export const doneOn = (enrollment: Enrollment, item: Item): Day | undefined =>
  earliest(deedsAt(enrollment, item).map(completedBy));

/** The day as of which a deed completes its item, if it does. */
function completedBy(deed: Deed): Day | undefined {
  switch (deed.kind) {
    case "post":
      return deed.percent === 100 ? deed.day : undefined;
    case "attempt":
      return deed.passed ? deed.endedOn : undefined;
    case "work":
      return deed.state === "graded" ? deed.day : undefined;
    case "given":
      return deed.day;
  }
}

/** Each item that was begun, or done, and when. */
export const daysBegun = (enrollment: Enrollment): Map<Item, Day> => daysWhen(enrollment, begunOn);
export const daysDone = (enrollment: Enrollment): Map<Item, Day> => daysWhen(enrollment, doneOn);

function daysWhen(
  enrollment: Enrollment,
  when: (enrollment: Enrollment, item: Item) => Day | undefined,
): Map<Item, Day> {
  const items = new Set(enrollment.deeds.map(({ item }) => item));
  const days = [...items].map((item) => [item, when(enrollment, item)] as const);
  return new Map(days.filter((pair): pair is [Item, Day] => pair[1] !== undefined));
}

export const isDone = (enrollment: Enrollment, item: Item): boolean => doneOn(enrollment, item) !== undefined;

export function percentOf(enrollment: Enrollment, item: Item): number {
  if (isDone(enrollment, item)) return 100;
  const posted = deedsAt(enrollment, item).findLast((deed) => deed.kind === "post");
  return posted?.percent ?? 0;
}

export const courseItems = (enrollment: Enrollment): Item[] => enrollment.run.course.items;

export const coursePercent = (enrollment: Enrollment): number => {
  const items = courseItems(enrollment);
  return cut(items.reduce((sum, item) => sum + percentOf(enrollment, item), 0) / items.length);
};

/** When the last item of a course was done, whatever the grade says. */
export function treeDoneOn(enrollment: Enrollment): Day | undefined {
  const done = daysDone(enrollment);
  return done.size < courseItems(enrollment).length ? undefined : [...done.values()].toSorted().at(-1);
}

/** Two decimals, cut and not rounded: nobody has 100 before the end. */
export const cut = (percent: number): number => Math.trunc(Number((percent * 100).toFixed(4))) / 100;

export const isQuiz = ({ kind }: Item): boolean => kind === "quiz" || kind === "exam";

export const attemptsOf = (enrollment: Enrollment, item: Item): Attempt[] =>
  deedsAt(enrollment, item).filter((deed) => deed.kind === "attempt");

export const worksOf = (enrollment: Enrollment, item: Item): Work[] =>
  deedsAt(enrollment, item).filter((deed) => deed.kind === "work");

/** Whether attempts at a quiz count for a grade or as an exam. */
const counts = ({ run }: Enrollment, item: Item): boolean => item.kind === "exam" || run.isGraded;

/** Attempts that count against what a person has at a quiz, in whichever run and account they were made. */
export function attemptsTaken(ledger: Ledger, enrollment: Enrollment, item: Item): number {
  const selves = ledger.selvesOf(enrollment.learner);
  const enrollments = ledger.enrollments.filter(
    (one) =>
      one.run.course === enrollment.run.course &&
      selves.includes(one.learner) &&
      (one.run === enrollment.run || counts(enrollment, item)),
  );
  return enrollments.reduce((sum, one) => sum + attemptsOf(one, item).length, 0);
}

const mostOf = (enrollment: Enrollment, item: Item): number =>
  enrollment.granted.get(item) ?? (item.kind === "exam" ? 1 : 2);

/** Whether there is nothing to do about an item until it is graded. */
export const waits = (enrollment: Enrollment, item: Item): boolean =>
  worksOf(enrollment, item).at(-1)?.state === "submitted";

export function dueOn({ learner, run }: Enrollment, item: Item): Day {
  const ofGroups = run.groups.flatMap(({ members, left, dueOn }) =>
    members.includes(learner) || left.includes(learner) ? (dueOn.get(item) ?? []) : [],
  );
  const stated = ofGroups.toSorted().at(-1) ?? daysAfter(item.dueOn, run.dueLater);
  return daysAfter(stated, learner.accommodation?.extraDays ?? 0);
}

export const daysLate = ({ enrollment, item, day }: Pick<Work, "enrollment" | "item" | "day">): number =>
  Math.max(0, daysBetween(dueOn(enrollment, item), day) + 1);

/** What lateness takes off graded work, in points. */
export function deductionOf(work: Work): number {
  const percent = work.enrollment.run.lateRule?.percentPerDay ?? 0;
  return Math.min(work.score ?? 0, (percent / 100) * daysLate(work) * pointsOf[work.item.kind]);
}

export const countedScore = (work: Work): number | undefined =>
  work.score === undefined ? undefined : work.score - deductionOf(work);

function isTaken(enrollment: Enrollment, item: Item, day: Day): boolean {
  const most = item.isStrict ? 0 : (enrollment.run.lateRule?.maxDays ?? Number.POSITIVE_INFINITY);
  return daysLate({ enrollment, item, day }) <= most;
}

export function isPossible(ledger: Ledger, enrollment: Enrollment, item: Item, day: Day): boolean {
  if (item.kind === "text") return true;
  if (item.kind === "engineering_lab") return !enrollment.final && isTaken(enrollment, item, day);
  if (attemptsOf(enrollment, item).some(({ endedOn }) => endedOn === undefined)) return true;
  return day < enrollment.run.endsOn && attemptsTaken(ledger, enrollment, item) < mostOf(enrollment, item);
}

const isUngradedPractice = ({ run }: Enrollment, item: Item): boolean =>
  item.kind === "quiz" && !run.isGraded;

export const leftToDo = (ledger: Ledger, enrollment: Enrollment, day: Day): Item[] =>
  courseItems(enrollment).filter(
    (item) =>
      !isDone(enrollment, item) && !waits(enrollment, item) && isPossible(ledger, enrollment, item, day),
  );

/** What someone may work with now, the next of it first. */
export function openItems(ledger: Ledger, enrollment: Enrollment, day: Day): Item[] {
  // One module after the other: what is not done in the first of them closes the rest.
  const first = courseItems(enrollment).find((item) => !isDone(enrollment, item));
  const isReached = ({ module }: Item) => !enrollment.run.course.isInTurn || module === first?.module;
  const open = leftToDo(ledger, enrollment, day).filter((item) => isReached(item) && item.opensOn <= day);
  const practice = open.filter((item) => isUngradedPractice(enrollment, item));
  return [...open.filter((item) => !practice.includes(item)), ...practice];
}

/**
 * What an outline says of the newest attempt; null before the first, and to staff while the item is graded anonymously.
 * `seesScores`: whether grades of labs are shown.
 */
export function attemptAt(ledger: Ledger, enrollment: Enrollment, item: Item, seesScores: boolean) {
  if (isNameless(enrollment.run, item)) return null;
  if (isQuiz(item)) {
    const newest = attemptsOf(enrollment, item).at(-1);
    if (!newest) return null;
    const isOver = newest.endedOn !== undefined;
    return {
      number: attemptsTaken(ledger, enrollment, item),
      of: mostOf(enrollment, item),
      score: isOver ? newest.score : null,
      passed: isOver ? newest.passed : null,
      state: isOver ? "GRADED" : "OPEN",
    };
  }
  const works = worksOf(enrollment, item);
  const newest = works.at(-1);
  if (!newest) return null;
  return {
    number: works.filter(({ state }) => state !== "returned").length + (newest.state === "returned" ? 1 : 0),
    of: null,
    score: seesScores ? (countedScore(newest) ?? null) : null,
    passed: null,
    state: newest.state.toUpperCase(),
  };
}

/** Whether graders see a code in place of whose work it is. */
export const isNameless = (run: Enrollment["run"], { isAnonymous }: Item): boolean =>
  isAnonymous && !run.isNamed;

/** Whether a course is still at home: until its term is over, unless the place was given up. */
export const isAtHome = ({ status, run }: Enrollment, day: Day): boolean =>
  status !== "DROPPED" && day < run.termEndsOn;
