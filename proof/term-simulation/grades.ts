import { attemptsOf, isQuiz, worksOf } from "./definitions.ts";
import type { Enrollment } from "./ledger.ts";
import { type Course, type Item, passingPercent, pointsOf, weights } from "./university.ts";

/*
 * What the gradebook is to say, worked out from what was done and by none of the service's code.
 */

export type Cell = { score: number | null; state: string };

/** The columns of a gradebook, in the order of the course. */
export const gradedItems = ({ items }: Course): Item[] => items.filter(({ kind }) => pointsOf[kind] > 0);

/** Of a quiz the best attempt counts, of a lab the grade, unless staff have said otherwise. */
export function cellOf(enrollment: Enrollment, item: Item): Cell {
  const given = enrollment.deeds.findLast((deed) => deed.kind === "given" && deed.item === item);
  if (given?.kind === "given" && given.value === "excused") return { score: null, state: "EXCUSED" };
  if (given?.kind === "given") return { score: Number(given.value), state: "OVERRIDDEN" };
  // Of whoever is erased graded work stays, and no other.
  const newest = worksOf(enrollment, item).findLast(
    ({ state }) => state === "graded" || !enrollment.learner.isErased,
  );
  const score = isQuiz(item) ? quizScore(enrollment, item) : newest?.score;
  if (score !== undefined) return { score, state: "GRADED" };
  return { score: null, state: newest?.state.toUpperCase() ?? "NONE" };
}

function quizScore(enrollment: Enrollment, item: Item): number | undefined {
  const ended = attemptsOf(enrollment, item).filter(({ endedOn }) => endedOn !== undefined);
  if (ended.length === 0) return undefined;
  return Math.max(...ended.map(({ score, most }) => (score / most) * pointsOf[item.kind]));
}

/** What follows for the course, in percent: of what is graded so far, and with nothing for what is not. */
export type Worth = { current: number | null; final: number | null };

export function worthOf(enrollment: Enrollment, items = gradedItems(enrollment.run.course)): Worth {
  const groups = enrollment.run.isGraded
    ? Object.entries(weights).map(([kind, weight]) => ({
        weight,
        items: items.filter((item) => item.kind === kind),
      }))
    : [{ weight: 1, items }];
  const shares = groups.map((group) => ({
    weight: group.weight,
    ...sharesOf(group.items.map((item) => ({ ...cellOf(enrollment, item), most: pointsOf[item.kind] }))),
  }));
  const mean = (of: "soFar" | "inAll") => {
    const counted = shares.filter((share) => share[of] !== null);
    const weight = counted.reduce((sum, share) => sum + share.weight, 0);
    const share = counted.reduce((sum, one) => sum + one.weight * (one[of] ?? 0), 0);
    return weight > 0 ? hundredths((100 * share) / weight) : null;
  };
  return { current: mean("soFar"), final: mean("inAll") };
}

function sharesOf(cells: (Cell & { most: number })[]) {
  const points = cells.reduce((sum, { score }) => sum + (score ?? 0), 0);
  const most = (counted: typeof cells) => counted.reduce((sum, cell) => sum + cell.most, 0);
  const share = (counted: typeof cells) => (most(counted) > 0 ? points / most(counted) : null);
  return {
    soFar: share(cells.filter(({ score }) => score !== null)),
    inAll: share(cells.filter(({ state }) => state !== "EXCUSED")),
  };
}

/** Rounded half up; what the parts of a float add to the last places is cut off first. */
const hundredths = (percent: number): number => Math.round(Number((percent * 100).toFixed(4))) / 100;

const letters: [least: number, letter: string][] = [
  [90, "A"],
  [80, "B"],
  [70, "C"],
  [60, "D"],
  [0, "F"],
];

export const letterOf = (percent: number | null): string | null =>
  percent === null ? null : (letters.find(([least]) => percent >= least)?.[1] ?? null);

/** Whether someone is in a gradebook: whoever has a place, or has completed from one. */
export const isGraded = ({ status }: Enrollment): boolean => status === "ACTIVE" || status === "COMPLETED";

/** What someone awaits a grade in: work that nobody has graded, and attempts that are open. */
export const awaitedBy = (enrollment: Enrollment): Item[] =>
  gradedItems(enrollment.run.course).filter(
    (item) =>
      cellOf(enrollment, item).state === "SUBMITTED" ||
      attemptsOf(enrollment, item).some(({ endedOn }) => !endedOn),
  );

/** Makes the grade of a place final. */
export function finalize(enrollment: Enrollment): void {
  const score = worthOf(enrollment).final ?? 0;
  enrollment.final = { score, letter: letterOf(score) ?? "F", passed: score >= passingPercent };
}
