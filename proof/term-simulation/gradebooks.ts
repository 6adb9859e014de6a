import { type ApiClient, type JsonBody, signInForApiClient } from "./client.ts";
import type { SimulatedDay } from "./days.ts";
import { labSubmissionsForItem } from "./definitions.ts";
import {
  computeCourseGrade,
  expectedGradeCell,
  expectedLetterGrade,
  finalizeExpectedGrade,
  gradedItems,
  isListedInGradebook,
  itemsAwaitingGrade,
} from "./grades.ts";
import type { ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import { hasActiveAccount } from "./people.ts";
import { compareByFirstElement } from "./screens.ts";
import type { ServiceUnderTest } from "./service.ts";
import {
  allRunsOfUniversity,
  type CourseRun,
  maxPointsByItemKind,
  type SimulatedItem,
  type SimulatedUniversity,
  staffEmails,
} from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

/** Checks every gradebook and, in graded runs, some learners' view of it. */
export async function checkGradebooks(at: At, university: SimulatedUniversity): Promise<void> {
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  for (const run of allRunsOfUniversity(university)) {
    await holdGradebook(at, teacher, run);
    if (!run.isGraded) continue;
    const seeing = at.ledger
      .in(run)
      .filter((enrollment) => isListedInGradebook(enrollment) && hasActiveAccount(enrollment.learner));
    for (const enrollment of seeing.slice(0, 5)) await holdOwnGrades(at, enrollment);
  }
}

/** True if learners see their grades of an item: anonymous ones are released separately. */
const isShown = (run: CourseRun, { isAnonymous }: SimulatedItem): boolean =>
  isAnonymous ? run.namedOn !== undefined : run.isReleased;

/** A final grade is outdated if recomputing it now gives another. */
const finalOf = (enrollment: ExpectedEnrollment) => {
  const { final } = enrollment;
  return final
    ? [final.score, final.letter, final.passed, computeCourseGrade(enrollment).final !== final.score]
    : null;
};

const toldFinal = (final: JsonBody) =>
  final && [final.final_score, final.letter_grade, final.passed, final.is_outdated];

async function holdGradebook({ ledger, day }: At, teacher: ApiClient, run: CourseRun): Promise<void> {
  const told = await teacher.get(`/assessments/offerings/${run.id}/gradebook?limit=1000`);
  const items = gradedItems(run.course);
  const what = `The gradebook of ${run.course.code} on ${day}`;
  ledger.hold(
    `${what}: columns`,
    told.columns.map((one: JsonBody) => [one.content_item_id, one.max_points, one.is_released]),
    items.map((item) => [item.id, maxPointsByItemKind[item.kind], isShown(run, item)]),
  );
  const enrollments = ledger.in(run).filter(isListedInGradebook);
  const rows = told.rows.map((row: JsonBody) => [
    ...[
      row.user_id,
      row.full_name,
      row.is_erased,
      row.status,
      row.cells.map((cell: JsonBody) => [cell.score, cell.state]),
    ],
    ...[row.current_percent, row.current_letter, row.final_percent, toldFinal(row.final)],
  ]);
  const done = enrollments.map((enrollment) => {
    const { current, final } = computeCourseGrade(enrollment);
    const cells = items
      .map((item) => expectedGradeCell(enrollment, item))
      .map(({ score, state }) => [score, state]);
    const { id, name, isErased } = enrollment.learner;
    return [
      id,
      isErased ? null : name,
      isErased,
      enrollment.status,
      cells,
      current,
      expectedLetterGrade(current),
      final,
      finalOf(enrollment),
    ];
  });
  ledger.hold(what, rows.toSorted(compareByFirstElement), done.toSorted(compareByFirstElement));
  ledger.hold(`${what}: total`, told.total, enrollments.length);
}

async function holdOwnGrades({ service, ledger, day }: At, enrollment: ExpectedEnrollment): Promise<void> {
  const { learner, run } = enrollment;
  const caller = await signInForApiClient(service, learner.email);
  const told = await caller.get(`/assessments/offerings/${run.id}/my-grades`);
  const items = gradedItems(run.course);
  const { current } = computeCourseGrade(enrollment, run.isReleased ? items : []);
  ledger.hold(
    `The grades of ${learner.email} in ${run.course.code} on ${day}`,
    [
      told.items.map((one: JsonBody) => [one.content_item_id, one.score, one.state]),
      ...[told.current_percent, told.current_letter, toldFinal(told.final)],
    ],
    [
      items.map((item) => {
        const { score, state } = expectedGradeCell(enrollment, item);
        return run.isReleased ? [item.id, score, state] : [item.id, null, null];
      }),
      ...[current, expectedLetterGrade(current), finalOf(enrollment)],
    ],
  );
}

/**
 * The teacher finalizes the grades of every graded run, after one excuse and one submission on paper.
 * Learners who await a grade are excluded at first, then finalized with zero for it. Open attempts are closed
 * and count.
 */
export async function finalizeSimulatedGrades(at: At, { runs }: SimulatedUniversity): Promise<void> {
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  at.ledger.endAttempts();
  for (const run of runs.filter((one) => one.isGraded)) {
    await setGrades(at, teacher, run);
    if (!run.isReleased) await release(at, teacher, run);
    await holdFinalization(at, teacher, run, {});
    await holdFinalization(at, teacher, run, { include_awaiting: true });
  }
}

/** Checks the preview of a finalization, then finalizes. */
async function holdFinalization(
  { ledger, day }: At,
  teacher: ApiClient,
  run: CourseRun,
  wanted: { include_awaiting?: boolean },
): Promise<void> {
  const open = ledger.in(run).filter((enrollment) => isListedInGradebook(enrollment) && !enrollment.final);
  const awaiting = open.filter((enrollment) => itemsAwaitingGrade(enrollment).length > 0);
  const chosen = wanted.include_awaiting ? open : open.filter((enrollment) => !awaiting.includes(enrollment));
  const path = `/assessments/offerings/${run.id}/grades/finalize`;
  const rehearsed = await teacher.post(path, { ...wanted, dry_run: true });
  const told = await teacher.post(path, wanted);
  for (const enrollment of chosen) finalizeExpectedGrade(enrollment);
  const done = {
    finalized: chosen.length,
    passed: chosen.filter(({ final }) => final?.passed).length,
    awaiting: awaiting.length,
    people: awaiting
      .map((enrollment) => ({
        user_id: enrollment.learner.id,
        items: itemsAwaitingGrade(enrollment).map(({ id }) => id),
      }))
      .toSorted((one, other) => one.user_id - other.user_id),
  };
  const what = `The final grades of ${run.course.code}`;
  ledger.hold(`${what}, beforehand`, rehearsed, done);
  ledger.hold(what, told, done);
  for (const enrollment of chosen) ledger.complete(enrollment, day);
}

async function setGrades({ ledger, day }: At, teacher: ApiClient, run: CourseRun): Promise<void> {
  const lab = run.course.items.find(({ kind, isAnonymous }) => kind === "engineering_lab" && !isAnonymous);
  if (!lab) return;
  const without = ledger
    .in(run)
    .filter(
      (enrollment) => isListedInGradebook(enrollment) && labSubmissionsForItem(enrollment, lab).length === 0,
    );
  for (const [index, enrollment] of without.slice(0, 2).entries()) {
    const path = `/assessments/offerings/${run.id}/grades/${enrollment.learner.id}/items/${lab.id}`;
    const said =
      index === 0 ? { is_excused: true, reason: "Was ill" } : { score: 15, reason: "Handed in on paper" };
    await teacher.put(path, said);
    ledger.note(enrollment, { kind: "given", item: lab, day, value: said.score ?? "excused" });
  }
}

async function release({ ledger, day }: At, teacher: ApiClient, run: CourseRun): Promise<void> {
  const told = await teacher.post(`/assessments/offerings/${run.id}/grades/release`, {});
  ledger.hold(`What is released in ${run.course.code}`, told.changed, gradedItems(run.course).length);
  run.isReleased = true;
  ledger.release(run, day);
}
