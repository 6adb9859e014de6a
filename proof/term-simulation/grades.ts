import {
  isGradedAnonymously,
  isQuizOrExam,
  labSubmissionsForItem,
  quizAttemptsForItem,
  scoreAfterLatePenalty,
} from "./definitions.ts";
import type { ExpectedEnrollment } from "./ledger.ts";
import {
  gradeWeights,
  maxPointsByItemKind,
  passingPercent,
  type SimulatedCourse,
  type SimulatedItem,
} from "./university.ts";

/* Expected gradebook values, computed from the actions and without the service's code. */

export type GradeCell = { score: number | null; state: string };

export const gradedItems = ({ items }: SimulatedCourse): SimulatedItem[] =>
  items.filter(({ kind }) => maxPointsByItemKind[kind] > 0);

/** A quiz counts its best attempt, a lab its grade minus the late penalty, unless staff override it. */
export const expectedGradeCell = (enrollment: ExpectedEnrollment, item: SimulatedItem): GradeCell =>
  isGradedAnonymously(enrollment.run, item)
    ? { score: null, state: "ANONYMOUS" }
    : gradeCellIgnoringAnonymity(enrollment, item);

export function gradeCellIgnoringAnonymity(enrollment: ExpectedEnrollment, item: SimulatedItem): GradeCell {
  const given = enrollment.deeds.findLast((deed) => deed.kind === "given" && deed.item === item);
  if (given?.kind === "given" && given.value === "excused") return { score: null, state: "EXCUSED" };
  if (given?.kind === "given") return { score: Number(given.value), state: "OVERRIDDEN" };
  // Only graded work of erased people remains.
  const newest = labSubmissionsForItem(enrollment, item).findLast(
    ({ state }) => state === "graded" || !enrollment.learner.isErased,
  );
  const score = isQuizOrExam(item) ? quizScore(enrollment, item) : newest && scoreAfterLatePenalty(newest);
  if (score !== undefined) return { score, state: "GRADED" };
  return { score: null, state: newest?.state.toUpperCase() ?? "NONE" };
}

function quizScore(enrollment: ExpectedEnrollment, item: SimulatedItem): number | undefined {
  const ended = quizAttemptsForItem(enrollment, item).filter(({ endedOn }) => endedOn !== undefined);
  if (ended.length === 0) return undefined;
  return Math.max(...ended.map(({ score, most }) => (score / most) * maxPointsByItemKind[item.kind]));
}

/** A course grade in percent: of graded items only, and with zero for the rest. */
export type CourseGrade = { current: number | null; final: number | null };

export function computeCourseGrade(
  enrollment: ExpectedEnrollment,
  items = gradedItems(enrollment.run.course),
): CourseGrade {
  const groups = enrollment.run.isGraded
    ? Object.entries(gradeWeights).map(([kind, weight]) => ({
        weight,
        items: items.filter((item) => item.kind === kind),
        dropped: kind === "quiz" ? enrollment.run.dropLowest : 0,
      }))
    : [{ weight: 1, items, dropped: 0 }];
  const shares = groups.map((group) => ({
    weight: group.weight,
    ...sharesOf(
      group.items.map((item) => ({
        ...expectedGradeCell(enrollment, item),
        most: maxPointsByItemKind[item.kind],
      })),
      group.dropped,
    ),
  }));
  const mean = (of: "soFar" | "inAll") => {
    const counted = shares.filter((share) => share[of] !== null);
    const weight = counted.reduce((sum, share) => sum + share.weight, 0);
    const share = counted.reduce((sum, one) => sum + one.weight * (one[of] ?? 0), 0);
    return weight > 0 ? hundredths((100 * share) / weight) : null;
  };
  return { current: mean("soFar"), final: mean("inAll") };
}

/** Drops the lowest cells, except the last one. Items of a group with drops have equal points here. */
function sharesOf(cells: (GradeCell & { most: number })[], dropped: number) {
  const sum = (of: typeof cells, value: (cell: (typeof cells)[number]) => number) =>
    of.reduce((all, cell) => all + value(cell), 0);
  const share = (all: typeof cells) => {
    const best = all.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0));
    const counted = best.slice(0, Math.max(1, best.length - dropped));
    const most = sum(counted, (cell) => cell.most);
    return most > 0 ? sum(counted, ({ score }) => score ?? 0) / most : null;
  };
  return {
    soFar: share(cells.filter(({ score }) => score !== null)),
    inAll: share(cells.filter(({ state }) => state !== "EXCUSED" && state !== "ANONYMOUS")),
  };
}

/** Rounds half up, after removing floating-point noise. */
const hundredths = (percent: number): number => Math.round(Number((percent * 100).toFixed(4))) / 100;

const letters: [least: number, letter: string][] = [
  [90, "A"],
  [80, "B"],
  [70, "C"],
  [60, "D"],
  [0, "F"],
];

export const expectedLetterGrade = (percent: number | null): string | null =>
  percent === null ? null : (letters.find(([least]) => percent >= least)?.[1] ?? null);

/** True for active and completed enrollments, which a gradebook lists. */
export const isListedInGradebook = ({ status }: ExpectedEnrollment): boolean =>
  status === "ACTIVE" || status === "COMPLETED";

/** Items that await a grade: ungraded work, and open attempts. */
export const itemsAwaitingGrade = (enrollment: ExpectedEnrollment): SimulatedItem[] =>
  gradedItems(enrollment.run.course).filter(
    (item) =>
      expectedGradeCell(enrollment, item).state === "SUBMITTED" ||
      quizAttemptsForItem(enrollment, item).some(({ endedOn }) => !endedOn),
  );

export function finalizeExpectedGrade(enrollment: ExpectedEnrollment): void {
  const score = computeCourseGrade(enrollment).final ?? 0;
  enrollment.final = { score, letter: expectedLetterGrade(score) ?? "F", passed: score >= passingPercent };
}
