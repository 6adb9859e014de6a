import { type ApiClient, signInForApiClient } from "./client.ts";
import { daysLate, isGradedAnonymously, labSubmissionsForItem, latePenaltyPoints } from "./definitions.ts";
import type { ExpectedEnrollment, LabSubmission, SimulationLedger } from "./ledger.ts";
import type { SimulatedLearner } from "./people.ts";
import { pickRubricLevels } from "./rubric.ts";
import { compareByFirstElement } from "./screens.ts";
import type { DayContext } from "./study.ts";
import {
  allRunsOfUniversity,
  type CourseRun,
  maxPointsByItemKind,
  type SimulatedItem,
  type SimulatedUniversity,
  staffEmails,
} from "./university.ts";

/** Submits a lab, for the whole group if it is group work, and submits it twice by mistake. */
export async function submitLab(
  { service, ledger, day }: DayContext,
  caller: ApiClient,
  enrollment: ExpectedEnrollment,
  item: SimulatedItem,
): Promise<void> {
  const { learner, run } = enrollment;
  const attempt = labSubmissionsForItem(enrollment, item).length + 1;
  const sent = { body: `What ${learner.email} found out, as it stands in attempt ${attempt}` };
  const path = `/assessments/offerings/${run.id}/assignments/${item.id}/submissions`;
  const told = await caller.post(path, sent);
  const again = learner.rng.chance(0.1) ? await caller.post(path, sent) : told;
  const late = daysLate({ enrollment, item, day });
  ledger.hold(
    `A lab of ${run.course.code}`,
    [told.attempt_number, told.status, told.is_late, told.late_days, again.id],
    [attempt, "submitted", late > 0, late, told.id],
  );
  ledger.activities.push({ day, learner, run, item });
  const all = [enrollment, ...othersOf(ledger, enrollment, item)];
  const ids = new Map([[learner.id, told.id as number]]);
  if (all.length > 1) {
    const assistant = await signInForApiClient(service, staffEmails.assistant);
    const { shared_with } = await assistant.get(`/assessments/submissions/${told.id}`);
    for (const one of shared_with) ids.set(one.user_id, one.submission_id);
    ledger.hold(
      `Whom a group of ${run.course.code} handed in for`,
      [...ids.keys()].toSorted(byNumber),
      all.map((one) => one.learner.id).toSorted(byNumber),
    );
  }
  const shared: LabSubmission[] = [];
  for (const one of all) {
    const id = ids.get(one.learner.id) ?? 0;
    const own = { kind: "work", id, enrollment: one, item, day, state: "submitted", shared } as const;
    const work: LabSubmission = { ...own, attempt: labSubmissionsForItem(one, item).length + 1 };
    shared.push(work);
    ledger.note(one, work);
  }
}

/** Group members with a seat and an open grade share the submission. */
function othersOf(
  ledger: SimulationLedger,
  { learner, run }: ExpectedEnrollment,
  { isForGroups }: SimulatedItem,
): ExpectedEnrollment[] {
  const group = isForGroups ? run.groups.find(({ members }) => members.includes(learner)) : undefined;
  const isOther = (one: SimulatedLearner) => one !== learner && !one.isErased && group?.members.includes(one);
  return ledger.in(run).filter((one) => isOther(one.learner) && one.status === "ACTIVE" && !one.final);
}

const byNumber = (one: number, other: number) => one - other;

/** The assistant grades the queues of all runs in order; at the end some work stays ungraded. */
export async function gradeLabs(
  today: DayContext,
  university: SimulatedUniversity,
  isLast = false,
): Promise<void> {
  const assistant = await signInForApiClient(today.service, staffEmails.assistant);
  for (const run of allRunsOfUniversity(university)) {
    await holdQueue(today, assistant, run);
    for (const work of waiting(today, run)) {
      // Graded with another submission of its group.
      if (work.state !== "submitted") continue;
      if (isLast && work.enrollment.learner.rng.chance(0.4)) continue;
      await gradeLab(today, assistant, work);
    }
    await holdQueue(today, assistant, run);
  }
}

const waiting = ({ ledger }: Pick<DayContext, "ledger">, run: CourseRun): LabSubmission[] =>
  ledger.works
    .filter(
      ({ enrollment, state }) =>
        enrollment.run === run && state === "submitted" && !enrollment.learner.isErased,
    )
    .toSorted((one, other) => one.id - other.id);

async function holdQueue({ ledger, day }: DayContext, assistant: ApiClient, run: CourseRun): Promise<void> {
  const left = "status=submitted&newest=true&claimed=false&limit=1000";
  const queue = await assistant.get(`/assessments/offerings/${run.id}/submissions?${left}`);
  const told = queue.map((one: Record<string, unknown>) => [
    ...[one["id"], one["user_id"], one["content_item_id"], one["attempt_number"], one["is_late"]],
  ]);
  const done = waiting({ ledger }, run).map((work) => {
    const { id, enrollment, item, attempt } = work;
    const person = isGradedAnonymously(run, item) ? null : enrollment.learner.id;
    return [id, person, item.id, attempt, daysLate(work) > 0];
  });
  ledger.hold(
    `What waits for its grade in ${run.course.code} on ${day}`,
    told.toSorted(compareByFirstElement),
    done,
  );
}

/** One in five first attempts is returned with a comment and may be resubmitted. */
async function gradeLab(
  { ledger, day }: DayContext,
  assistant: ApiClient,
  work: LabSubmission,
): Promise<void> {
  const { rng } = work.enrollment.learner;
  const path = `/assessments/submissions/${work.id}`;
  await assistant.put(`${path}/claim`, {});
  if (work.attempt === 1 && rng.chance(0.2)) {
    const told = await assistant.post(`${path}/return`, { feedback: "The units are missing." });
    for (const one of work.shared) one.state = "returned";
    ledger.hold("A lab that is returned", [told.status, told.score_obtained], ["returned", null]);
    return;
  }
  const judged = work.item.isForGroups ? pickRubricLevels(rng) : undefined;
  const score = judged?.score ?? Math.floor(rng.between(6, maxPointsByItemKind.engineering_lab + 1));
  const said = judged ? { rubric: judged.rubric } : { score_obtained: score };
  const told = await assistant.put(`${path}/grade`, { ...said, feedback: "Well argued." });
  ledger.grade(work, score, day);
  ledger.hold(
    "A lab that is graded",
    [told.status, told.score_obtained, told.max_score, told.grade_source, told.late_deduction],
    ["graded", score, maxPointsByItemKind.engineering_lab, "hand", latePenaltyPoints(work)],
  );
}

/** A lab graded after finalization marks the final grade as outdated. */
export async function gradeLabAfterFinalization(
  today: DayContext,
  { runs }: SimulatedUniversity,
): Promise<void> {
  const { ledger, day } = today;
  const assistant = await signInForApiClient(today.service, staffEmails.assistant);
  for (const run of runs.filter(({ isGraded }) => isGraded)) {
    const [work] = waiting(today, run).filter(({ enrollment }) => enrollment.final);
    if (!work) continue;
    const told = await assistant.put(`/assessments/submissions/${work.id}/grade`, { score_obtained: 1 });
    ledger.grade(work, 1, day);
    ledger.hold("A lab that is graded when all is final", told.status, "graded");
  }
}
