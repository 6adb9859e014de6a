import { addDays, daysBetween, type SimulatedDay } from "./days.ts";
import type {
  ExpectedAttempt,
  ExpectedEnrollment,
  ItemEvent,
  LabSubmission,
  SimulationLedger,
} from "./ledger.ts";
import { maxPointsByItemKind, type SimulatedItem } from "./university.ts";

/*
 * Definitions of a learner's state in a course, based only on the actions of learners and staff, not on
 * stored values. A learner or a registrar would understand each: - begun: the first progress post in an item,
 * attempt, submission, or score or excuse by staff. - done: a text at 100 percent; a quiz on the day of the
 * first passed attempt; a lab on the day of submission of the first graded work; or when staff say so
 * instead. - percent: 100 for done items; otherwise the last post of a text, and 0 for others. A course has
 * its items' mean. - attempt: an item's newest: its number among the counted ones, the limit, and the result.
 * - counted: attempts at an exam, or at a quiz of a graded run, over all runs of the course in the term and
 * over the user's erased accounts. - due by: the latest day of the user's groups, otherwise the run's,
 * otherwise the course's; plus the days of an accommodation. - days late: each day begun since then; work on
 * the due day is one day late. More time granted later removes lateness. - possible: a quiz that is open or
 * has an attempt left in a run that goes on; work that is accepted, late or not, before the final grade. -
 * next: the first item in course order that is open, not done, awaits no grade and is possible; practice
 * quizzes that count for no grade come last. - due: items that are not done, await no grade and are possible.
 */

const daysOf = (deed: ItemEvent): SimulatedDay => (deed.kind === "attempt" ? deed.startedOn : deed.day);

const earliest = (days: readonly (SimulatedDay | undefined)[]): SimulatedDay | undefined =>
  days.filter((day) => day !== undefined).toSorted()[0];

const deedsAt = (enrollment: ExpectedEnrollment, item: SimulatedItem): ItemEvent[] =>
  enrollment.deeds.filter((deed) => deed.item === item);

export const itemBegunDay = (enrollment: ExpectedEnrollment, item: SimulatedItem): SimulatedDay | undefined =>
  earliest(deedsAt(enrollment, item).map(daysOf));

/** The day of the result that completes an item, even if its grade is not released. */
const resultDay = (enrollment: ExpectedEnrollment, item: SimulatedItem): SimulatedDay | undefined =>
  earliest(deedsAt(enrollment, item).map(completedBy));

/** Anonymous work completes its item when its grades are released. */
export function itemCompletionDay(
  enrollment: ExpectedEnrollment,
  item: SimulatedItem,
): SimulatedDay | undefined {
  const day = resultDay(enrollment, item);
  if (!day || !item.isAnonymous) return day;
  const { namedOn } = enrollment.run;
  return namedOn && (day > namedOn ? day : namedOn);
}

/** The day on which a deed completes its item, if it does. */
function completedBy(deed: ItemEvent): SimulatedDay | undefined {
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

/** Each begun, or done, item with its day. */
export const begunDaysByItem = (enrollment: ExpectedEnrollment): Map<SimulatedItem, SimulatedDay> =>
  daysWhen(enrollment, itemBegunDay);
export const completionDaysByItem = (enrollment: ExpectedEnrollment): Map<SimulatedItem, SimulatedDay> =>
  daysWhen(enrollment, itemCompletionDay);

function daysWhen(
  enrollment: ExpectedEnrollment,
  when: (enrollment: ExpectedEnrollment, item: SimulatedItem) => SimulatedDay | undefined,
): Map<SimulatedItem, SimulatedDay> {
  const items = new Set(enrollment.deeds.map(({ item }) => item));
  const days = [...items].map((item) => [item, when(enrollment, item)] as const);
  return new Map(days.filter((pair): pair is [SimulatedItem, SimulatedDay] => pair[1] !== undefined));
}

export const isItemCompleted = (enrollment: ExpectedEnrollment, item: SimulatedItem): boolean =>
  itemCompletionDay(enrollment, item) !== undefined;

export function itemProgressPercent(enrollment: ExpectedEnrollment, item: SimulatedItem): number {
  if (isItemCompleted(enrollment, item)) return 100;
  const posted = deedsAt(enrollment, item).findLast((deed) => deed.kind === "post");
  return posted?.percent ?? 0;
}

export const courseItems = (enrollment: ExpectedEnrollment): SimulatedItem[] => enrollment.run.course.items;

export const courseProgressPercent = (enrollment: ExpectedEnrollment): number => {
  const items = courseItems(enrollment);
  return truncatePercent(
    items.reduce((sum, item) => sum + itemProgressPercent(enrollment, item), 0) / items.length,
  );
};

/** The day on which a course's last item was done, with any grade. */
export function courseCompletionDay(enrollment: ExpectedEnrollment): SimulatedDay | undefined {
  const done = completionDaysByItem(enrollment);
  return done.size < courseItems(enrollment).length ? undefined : [...done.values()].toSorted().at(-1);
}

/** Two decimals, truncated: 100 appears only at the end. */
export const truncatePercent = (percent: number): number =>
  Math.trunc(Number((percent * 100).toFixed(4))) / 100;

export const isQuizOrExam = ({ kind }: SimulatedItem): boolean => kind === "quiz" || kind === "exam";

export const quizAttemptsForItem = (enrollment: ExpectedEnrollment, item: SimulatedItem): ExpectedAttempt[] =>
  deedsAt(enrollment, item).filter((deed) => deed.kind === "attempt");

export const labSubmissionsForItem = (enrollment: ExpectedEnrollment, item: SimulatedItem): LabSubmission[] =>
  deedsAt(enrollment, item).filter((deed) => deed.kind === "work");

/** True if attempts at a quiz count for a grade or as an exam. */
const counts = ({ run }: ExpectedEnrollment, item: SimulatedItem): boolean =>
  item.kind === "exam" || run.isGraded;

/** A user's counted attempts at a quiz, over all runs and accounts. */
export function countAttemptsTaken(
  ledger: SimulationLedger,
  enrollment: ExpectedEnrollment,
  item: SimulatedItem,
): number {
  const selves = ledger.selvesOf(enrollment.learner);
  const enrollments = ledger.enrollments.filter(
    (one) =>
      one.run.course === enrollment.run.course &&
      selves.includes(one.learner) &&
      (one.run === enrollment.run || counts(enrollment, item)),
  );
  return enrollments.reduce((sum, one) => sum + quizAttemptsForItem(one, item).length, 0);
}

const maxAttemptsAtItem = (enrollment: ExpectedEnrollment, item: SimulatedItem): number =>
  enrollment.granted.get(item) ?? (item.kind === "exam" ? 1 : 2);

/** True if an item awaits its grade. */
export const itemAwaitsGrade = (enrollment: ExpectedEnrollment, item: SimulatedItem): boolean =>
  labSubmissionsForItem(enrollment, item).at(-1)?.state === "submitted";

/** `submittedOn`: without an accommodation that was granted later. */
export function itemDueDay(
  { learner, run }: ExpectedEnrollment,
  item: SimulatedItem,
  submittedOn?: SimulatedDay,
): SimulatedDay {
  const ofGroups = run.groups.flatMap(({ members, left, dueOn }) =>
    members.includes(learner) || left.includes(learner) ? (dueOn.get(item) ?? []) : [],
  );
  const stated = ofGroups.toSorted().at(-1) ?? addDays(item.dueOn, run.dueLater);
  const { extraDays = 0, since } = learner.accommodation ?? {};
  return submittedOn && since && submittedOn < since ? stated : addDays(stated, extraDays);
}

/**
 * Returned work is on time again if it was on time at first. A later date reaches anonymous work at its
 * release, because it would name the work before.
 */
export function daysLate({
  enrollment,
  item,
  day,
}: Pick<LabSubmission, "enrollment" | "item" | "day">): number {
  const due = itemDueDay(enrollment, item, isGradedAnonymously(enrollment.run, item) ? day : undefined);
  const before = labSubmissionsForItem(enrollment, item).filter((work) => work.day < day);
  const isRevision = before.length > 0 && before.every(({ state }) => state === "returned");
  const counted = isRevision && (before[0]?.day ?? day) < due ? (before[0]?.day ?? day) : day;
  return Math.max(0, daysBetween(due, counted) + 1);
}

/** Points deducted for lateness. */
export function latePenaltyPoints(work: LabSubmission): number {
  const percent = work.enrollment.run.lateRule?.percentPerDay ?? 0;
  return Math.min(work.score ?? 0, (percent / 100) * daysLate(work) * maxPointsByItemKind[work.item.kind]);
}

export const scoreAfterLatePenalty = (work: LabSubmission): number | undefined =>
  work.score === undefined ? undefined : work.score - latePenaltyPoints(work);

function isTaken(enrollment: ExpectedEnrollment, item: SimulatedItem, day: SimulatedDay): boolean {
  const most = item.isStrict ? 0 : (enrollment.run.lateRule?.maxDays ?? Number.POSITIVE_INFINITY);
  return daysLate({ enrollment, item, day }) <= most;
}

export function canStillWorkOn(
  ledger: SimulationLedger,
  enrollment: ExpectedEnrollment,
  item: SimulatedItem,
  day: SimulatedDay,
): boolean {
  if (item.kind === "text") return true;
  if (item.kind === "engineering_lab") return !enrollment.final && isTaken(enrollment, item, day);
  if (quizAttemptsForItem(enrollment, item).some(({ endedOn }) => endedOn === undefined)) return true;
  return (
    day < enrollment.run.endsOn &&
    countAttemptsTaken(ledger, enrollment, item) < maxAttemptsAtItem(enrollment, item)
  );
}

const isUngradedPractice = ({ run }: ExpectedEnrollment, item: SimulatedItem): boolean =>
  item.kind === "quiz" && !run.isGraded;

export const itemsLeftToDo = (
  ledger: SimulationLedger,
  enrollment: ExpectedEnrollment,
  day: SimulatedDay,
): SimulatedItem[] =>
  courseItems(enrollment).filter(
    (item) =>
      resultDay(enrollment, item) === undefined &&
      !itemAwaitsGrade(enrollment, item) &&
      canStillWorkOn(ledger, enrollment, item, day),
  );

/** Items the learner may work on now, the next one first. */
export function itemsOpenToLearner(
  ledger: SimulationLedger,
  enrollment: ExpectedEnrollment,
  day: SimulatedDay,
): SimulatedItem[] {
  // In sequential courses, later modules open after the first incomplete one.
  const first = courseItems(enrollment).find((item) => !isItemCompleted(enrollment, item));
  const isReached = ({ module }: SimulatedItem) =>
    !enrollment.run.course.isInTurn || module === first?.module;
  const open = itemsLeftToDo(ledger, enrollment, day).filter(
    (item) => isReached(item) && item.opensOn <= day,
  );
  const practice = open.filter((item) => isUngradedPractice(enrollment, item));
  return [...open.filter((item) => !practice.includes(item)), ...practice];
}

/**
 * An outline's newest attempt; null before the first, and for staff during anonymous grading. `seesScores`:
 * lab grades are visible.
 */
export function expectedOutlineAttempt(
  ledger: SimulationLedger,
  enrollment: ExpectedEnrollment,
  item: SimulatedItem,
  seesScores: boolean,
) {
  if (isGradedAnonymously(enrollment.run, item)) return null;
  if (isQuizOrExam(item)) {
    const newest = quizAttemptsForItem(enrollment, item).at(-1);
    if (!newest) return null;
    const isOver = newest.endedOn !== undefined;
    return {
      number: countAttemptsTaken(ledger, enrollment, item),
      of: maxAttemptsAtItem(enrollment, item),
      score: isOver ? newest.score : null,
      passed: isOver ? newest.passed : null,
      state: isOver ? "GRADED" : "OPEN",
    };
  }
  const works = labSubmissionsForItem(enrollment, item);
  const newest = works.at(-1);
  if (!newest) return null;
  return {
    number: works.filter(({ state }) => state !== "returned").length + (newest.state === "returned" ? 1 : 0),
    of: null,
    score: seesScores ? (scoreAfterLatePenalty(newest) ?? null) : null,
    passed: null,
    state: newest.state.toUpperCase(),
  };
}

/** True if graders see a code instead of a name. */
export const isGradedAnonymously = (
  run: ExpectedEnrollment["run"],
  { isAnonymous }: SimulatedItem,
): boolean => isAnonymous && run.namedOn === undefined;

/** True if a course is on the home screen: until its term ends, unless dropped. */
export const isOnHomeScreen = ({ status, run }: ExpectedEnrollment, day: SimulatedDay): boolean =>
  status !== "DROPPED" && day < run.termEndsOn;
