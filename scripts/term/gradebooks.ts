import { type Campus, pointsOf, type Run, staff } from "./campus.ts";
import { type Body, type Caller, signIn } from "./client.ts";
import type { Day } from "./days.ts";
import { cellOf, finalize, gradedItems, isAwaiting, isGraded, letterOf, worthOf } from "./grades.ts";
import type { Ledger, Place } from "./ledger.ts";
import { byFirst } from "./screens.ts";
import type { Service } from "./service.ts";

type At = { service: Service; ledger: Ledger; day: Day };

/** Holds every gradebook, and of runs that are graded what some of the learners see of it. */
export async function holdGradebooks(at: At, { runs }: Campus): Promise<void> {
  const teacher = await signIn(at.service, staff.teacher);
  for (const run of runs) {
    await holdGradebook(at, teacher, run);
    if (!run.isGraded) continue;
    const seeing = at.ledger.in(run).filter((place) => isGraded(place) && !place.learner.isSwitchedOff);
    for (const place of seeing.slice(0, 5)) await holdOwnGrades(at, place);
  }
}

const finalOf = ({ final }: Place) => (final ? [final.score, final.letter, final.passed] : null);

const toldFinal = (final: Body) => final && [final.final_score, final.letter_grade, final.passed];

async function holdGradebook({ ledger, day }: At, teacher: Caller, run: Run): Promise<void> {
  const told = await teacher.get(`/assessments/offerings/${run.id}/gradebook?limit=1000`);
  const items = gradedItems(run.course);
  const what = `The gradebook of ${run.course.code} on ${day}`;
  ledger.hold(
    `${what}: columns`,
    told.columns.map((one: Body) => [one.content_item_id, one.max_points, one.is_released]),
    items.map(({ id, kind }) => [id, pointsOf[kind], run.isReleased]),
  );
  const places = ledger.in(run).filter(isGraded);
  const rows = told.rows.map((row: Body) => [
    ...[row.user_id, row.status, row.cells.map((cell: Body) => [cell.score, cell.state])],
    ...[row.current_percent, row.current_letter, row.final_percent, toldFinal(row.final)],
  ]);
  const done = places.map((place) => {
    const { current, final } = worthOf(ledger, place);
    const cells = items.map((item) => cellOf(ledger, place, item)).map(({ score, state }) => [score, state]);
    return [place.learner.id, place.status, cells, current, letterOf(current), final, finalOf(place)];
  });
  ledger.hold(what, rows.toSorted(byFirst), done.toSorted(byFirst));
  ledger.hold(`${what}: total`, told.total, places.length);
}

async function holdOwnGrades({ service, ledger, day }: At, place: Place): Promise<void> {
  const { learner, run } = place;
  const caller = await signIn(service, learner.email);
  const told = await caller.get(`/assessments/offerings/${run.id}/my-grades`);
  const items = gradedItems(run.course);
  const { current } = worthOf(ledger, place, run.isReleased ? items : []);
  ledger.hold(
    `The grades of ${learner.email} in ${run.course.code} on ${day}`,
    [
      told.items.map((one: Body) => [one.content_item_id, one.score, one.state]),
      ...[told.current_percent, told.current_letter, toldFinal(told.final)],
    ],
    [
      items.map((item) => {
        const { score, state } = cellOf(ledger, place, item);
        return run.isReleased ? [item.id, score, state] : [item.id, null, null];
      }),
      ...[current, letterOf(current), finalOf(place)],
    ],
  );
}

/** The teacher makes the grades of every run final that is graded: one is excused first, one handed in on paper. */
export async function finalizeGrades(at: At, { runs }: Campus): Promise<void> {
  const teacher = await signIn(at.service, staff.teacher);
  for (const run of runs.filter((one) => one.isGraded)) {
    await setGrades(at, teacher, run);
    if (!run.isReleased) await release(at, teacher, run);
    const places = at.ledger.in(run).filter(isGraded);
    const awaiting = places.filter((place) => isAwaiting(at.ledger, place)).length;
    for (const place of places) finalize(at.ledger, place);
    const told = await teacher.post(`/assessments/offerings/${run.id}/grades/finalize`, {});
    at.ledger.hold(`The final grades of ${run.course.code}`, told, {
      finalized: places.length,
      passed: places.filter(({ final }) => final?.passed).length,
      awaiting,
    });
    for (const place of places) at.ledger.complete(place, at.day);
  }
}

async function setGrades({ ledger, day }: At, teacher: Caller, run: Run): Promise<void> {
  const lab = run.course.items.find(({ kind }) => kind === "engineering_lab");
  if (!lab) return;
  const without = ledger.in(run).filter((place) => isGraded(place) && !ledger.newestWork(place, lab));
  for (const [index, place] of without.slice(0, 2).entries()) {
    const path = `/assessments/offerings/${run.id}/grades/${place.learner.id}/items/${lab.id}`;
    const said =
      index === 0 ? { is_excused: true, reason: "Was ill" } : { score: 15, reason: "Handed in on paper" };
    await teacher.put(path, said);
    place.given.set(lab, said.score ?? "excused");
    ledger.progress(place, lab, 100, day);
  }
}

async function release({ ledger }: At, teacher: Caller, run: Run): Promise<void> {
  const told = await teacher.post(`/assessments/offerings/${run.id}/grades/release`, {});
  ledger.hold(`What is released in ${run.course.code}`, told.changed, gradedItems(run.course).length);
  run.isReleased = true;
}
