import { type ApiClient, type JsonBody, signInForApiClient } from "./client.ts";
import { addDays, localMidnightOfDay, type SimulatedDay } from "./days.ts";
import {
  daysLate,
  isGradedAnonymously,
  itemBegunDay,
  itemDueDay,
  labSubmissionsForItem,
} from "./definitions.ts";
import { gradeCellIgnoringAnonymity, isListedInGradebook } from "./grades.ts";
import type { ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import { hasActiveAccount, type SimulatedLearner } from "./people.ts";
import { simulationRubric } from "./rubric.ts";
import type { ServiceUnderTest } from "./service.ts";
import {
  allRunsOfUniversity,
  type CourseRun,
  type SimulatedGroup,
  type SimulatedItem,
  type SimulatedUniversity,
  staffEmails,
} from "./university.ts";

/*
 * Decisions about time and grades by officers and teachers: another calendar for a second run, group dates,
 * accommodations, late and drop rules, and anonymous grading.
 */

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

const active = (ledger: SimulationLedger, run: CourseRun): ExpectedEnrollment[] =>
  ledger.in(run).filter(({ status, learner }) => status === "ACTIVE" && hasActiveAccount(learner));

const isLab = ({ kind }: SimulatedItem): boolean => kind === "engineering_lab";

/** Grants the officers' rights and sets the runs' rules. */
export async function grantOfficerRightsAndSetRunRules(
  service: ServiceUnderTest,
  university: SimulatedUniversity,
): Promise<void> {
  const admin = await signInForApiClient(service, staffEmails.admin);
  for (const [email, right] of [
    [staffEmails.officer, "accommodation:write"],
    [staffEmails.archivist, "retention:write"],
  ] as const) {
    const officer = await signInForApiClient(service, email);
    // Only members of the university can have an office.
    const role = { user_id: (await officer.get("/users/me")).id, role: "STUDENT" };
    await admin.post(`/universities/${university.id}/roles`, role);
    await admin.post(`/universities/${university.id}/offices`, { email, right });
  }
  const [first, second, third, , fifth] = university.runs;
  if (second) await askForLateness(service, second);
  if (third) await gradeInGroups(service, third);
  for (const run of [first, fifth]) if (run) await gradeWithoutNames(service, run);
  await moveDates(service, university.second);
}

/** Work is accepted for five days after its due date, at a tenth less per day; the lowest quiz is dropped. */
async function askForLateness(service: ServiceUnderTest, run: CourseRun): Promise<void> {
  const teacher = await signInForApiClient(service, staffEmails.teacher);
  const path = `/assessments/offerings/${run.id}/grading-scheme`;
  run.lateRule = { percentPerDay: 10, maxDays: 5 };
  run.dropLowest = 1;
  const { groups } = await teacher.get(path);
  await teacher.put(path, {
    groups: groups.map((group: JsonBody) => (group.name === "quiz" ? { ...group, drop_lowest: 1 } : group)),
    late_percent_per_day: run.lateRule.percentPerDay,
    max_late_days: run.lateRule.maxDays,
  });
}

async function gradeInGroups(service: ServiceUnderTest, { course }: CourseRun): Promise<void> {
  const lab = course.items.find(isLab);
  if (!lab) return;
  await change(service, lab, { group_submission: true, rubric: simulationRubric });
  lab.isForGroups = true;
}

async function gradeWithoutNames(service: ServiceUnderTest, { course }: CourseRun): Promise<void> {
  for (const item of [course.items.find(isLab), course.items.find(({ kind }) => kind === "exam")]) {
    if (!item) continue;
    await change(service, item, { anonymous: true });
    item.isAnonymous = true;
  }
}

async function change(service: ServiceUnderTest, { id }: SimulatedItem, said: object): Promise<void> {
  const teacher = await signInForApiClient(service, staffEmails.teacher);
  const { data_json } = await teacher.get(`/content/${id}`);
  await teacher.put(`/content/${id}`, { data_json: { ...data_json, ...said } });
}

/** The second run of a course is due a week later. */
async function moveDates(service: ServiceUnderTest, run: CourseRun): Promise<void> {
  const teacher = await signInForApiClient(service, staffEmails.teacher);
  const due = new Map(run.course.items.map(({ module, dueOn }) => [module, dueOn]));
  run.dueLater = 7;
  await teacher.put(`/courses/${run.course.id}/offerings/${run.id}/dates`, {
    dates: [...due].map(([module_id, day]) => ({
      module_id,
      due_at: localMidnightOfDay(addDays(day, run.dueLater)),
    })),
  });
}

/**
 * One learner in twenty gets half as much time again, and five days. Officers cannot grant it to themselves.
 */
export async function grantAccommodations(
  at: At,
  university: SimulatedUniversity,
  learners: readonly SimulatedLearner[],
): Promise<void> {
  for (const [number, learner] of learners.entries())
    if (number % 20 === 7) await accommodate(at, university, learner);
  const officer = await signInForApiClient(at.service, staffEmails.officer);
  const path = `/universities/${university.id}/accommodations`;
  const self = await officer.refused("PUT", path, { email: staffEmails.officer, time_factor: 2 });
  at.ledger.hold("More time for oneself", self.slice(0, 3), "403");
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  const other = await teacher.refused("PUT", path, { email: learners[0]?.email, time_factor: 2 });
  at.ledger.hold("More time given by a teacher", other.slice(0, 3), "403");
}

async function accommodate(
  { service, ledger }: At,
  { id }: SimulatedUniversity,
  learner: SimulatedLearner,
  since?: SimulatedDay,
) {
  const officer = await signInForApiClient(service, staffEmails.officer);
  learner.accommodation = { timeFactor: 1.5, extraDays: 5, ...(since && { since }) };
  const told = await officer.put(`/universities/${id}/accommodations`, {
    email: learner.email,
    time_factor: 1.5,
    extra_days: 5,
  });
  ledger.hold(
    `More time for ${learner.email}`,
    [told.user_id, told.time_factor, told.extra_days, told.valid_until],
    [learner.id, 1.5, 5, null],
  );
}

/** Time granted afterwards removes the lateness of a submission, if it is not anonymous. */
export async function grantRetroactiveAccommodation(at: At, university: SimulatedUniversity): Promise<void> {
  const late = at.ledger.works.find(
    (work) =>
      daysLate(work) > 0 &&
      daysLate(work) <= 5 &&
      !work.enrollment.learner.accommodation &&
      // With a late penalty, lateness stays, to be checked.
      !work.enrollment.run.lateRule &&
      hasActiveAccount(work.enrollment.learner),
  );
  if (!late) return;
  const before = daysLate(late);
  await accommodate(at, university, late.enrollment.learner, at.day);
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  const told = await teacher.get(`/assessments/submissions/${late.id}`);
  at.ledger.hold(
    "Work that was late until more time was given",
    [told.is_late, told.late_days],
    isGradedAnonymously(late.enrollment.run, late.item) ? [true, before] : [false, 0],
  );
}

/**
 * Forms groups of three from most of the third course's learners; every other one gets another week for its
 * lab.
 */
export async function formGroups(at: At, { runs: [, , run] }: SimulatedUniversity): Promise<void> {
  const lab = run?.course.items.find(({ isForGroups }) => isForGroups);
  if (!run || !lab) return;
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  const path = `/offerings/${run.id}/groups`;
  const seated = active(at.ledger, run);
  const grouped = seated.map(({ learner }) => learner).filter((_, number) => number % 8 !== 5);
  for (let first = 0; first < grouped.length; first += 3) {
    const members = grouped.slice(first, first + 3);
    const { id } = await teacher.post(path, { name: `Group ${first / 3 + 1}`, capacity: 3 });
    for (const { id: member } of members) await teacher.put(`${path}/${id}/members/${member}`, {});
    const dueOn = new Map<SimulatedItem, SimulatedDay>();
    if (first % 2 === 1) {
      dueOn.set(lab, addDays(lab.dueOn, 7));
      const due_at = localMidnightOfDay(addDays(lab.dueOn, 7));
      await teacher.put(`${path}/${id}/dates`, { dates: [{ content_item_id: lab.id, due_at }] });
    }
    run.groups.push({ id, members, left: [], dueOn });
  }
  const [full] = run.groups;
  const left = seated.find(({ learner }) => !grouped.includes(learner));
  if (!full || !left || full.members.length < 3) return;
  const refused = await teacher.refused("PUT", `${path}/${full.id}/members/${left.learner.id}`, {});
  at.ledger.hold("A fourth in a group of three", refused.slice(0, 3), "400");
}

/** Checks due dates that differ from the course's, and the group filters. */
export async function checkDatesGroupsAndAnonymity(at: At, university: SimulatedUniversity): Promise<void> {
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  for (const run of allRunsOfUniversity(university)) {
    await holdDates(at, teacher, run);
    await holdCodes(at, teacher, run);
    for (const group of run.groups.slice(0, 4)) await holdGroup(at, teacher, run, group);
  }
}

async function holdDates({ ledger }: At, teacher: ApiClient, run: CourseRun): Promise<void> {
  const path = `/courses/${run.course.id}/offerings/${run.id}`;
  const others = active(ledger, run).filter(
    ({ learner }) => learner.accommodation || run.dueLater > 0 || run.groups.length > 0,
  );
  for (const enrollment of others.slice(0, 5)) {
    const outline = await teacher.get(`${path}/outline?user_id=${enrollment.learner.id}`);
    const items = outline.modules.flatMap((module: JsonBody) => module.items);
    ledger.hold(
      `When all is due for ${enrollment.learner.email} in ${run.course.code}`,
      items.map((one: JsonBody) => [one.id, one.due_at]),
      run.course.items.map((item) => [item.id, localMidnightOfDay(itemDueDay(enrollment, item))]),
    );
  }
}

/** Graders see no names: equal codes mean equal people. */
async function holdCodes({ ledger, day }: At, teacher: ApiClient, run: CourseRun): Promise<void> {
  for (const item of run.course.items.filter((one) => isGradedAnonymously(run, one))) {
    const what = `What graders see of ${item.title} of ${run.course.code} on ${day}`;
    const path = `/assessments/offerings/${run.id}`;
    const list = isLab(item)
      ? `${path}/submissions?content_item_id=${item.id}&limit=1000`
      : `${path}/quizzes/${item.id}/attempts?limit=1000`;
    const told = await teacher.get(list);
    const book = await teacher.get(`${path}/gradebook?content_item_id=${item.id}&limit=1000`);
    const text = JSON.stringify([told, book]);
    const people = ledger.in(run).map(({ learner }) => learner);
    ledger.hold(
      `${what}: names`,
      people.filter(({ name }) => text.includes(`"${name}"`)),
      [],
    );
    // Ungraded work of erased people is deleted.
    const done = ledger
      .in(run)
      .filter((enrollment) => itemBegunDay(enrollment, item))
      .filter(
        (enrollment) =>
          !enrollment.learner.isErased || gradeCellIgnoringAnonymity(enrollment, item).state !== "NONE",
      );
    ledger.hold(`${what}: codes`, new Set(told.map(({ code }: JsonBody) => code)).size, done.length);
    const grades = done
      .filter(isListedInGradebook)
      .map((enrollment) => gradeCellIgnoringAnonymity(enrollment, item).score);
    ledger.hold(
      `${what}: grades`,
      book.rows.map(({ cells }: JsonBody) => cells[0].score).toSorted(byScore),
      grades.toSorted(byScore),
    );
  }
}

const byScore = (one: number | null, other: number | null) => (one ?? -1) - (other ?? -1);

/** A run's roster, gradebook and queue, filtered by group. */
async function holdGroup(
  { ledger, day }: At,
  teacher: ApiClient,
  run: CourseRun,
  group: SimulatedGroup,
): Promise<void> {
  const ids = (enrollments: readonly ExpectedEnrollment[]) =>
    enrollments.map(({ learner }) => learner.id).toSorted((one, other) => one - other);
  const told = (list: JsonBody[]) => [...new Set(list.map((one) => one.user_id))].toSorted((a, b) => a - b);
  const members = ledger
    .in(run)
    .filter(({ learner }) => group.members.includes(learner) && !learner.isErased);
  const what = `A group of ${run.course.code} on ${day}`;
  const roster = `/courses/${run.course.id}/offerings/${run.id}/enrollments?group_id=${group.id}`;
  ledger.hold(`${what}: roster`, told(await teacher.get(roster)), ids(members));
  const path = `/assessments/offerings/${run.id}`;
  const book = await teacher.get(`${path}/gradebook?group_id=${group.id}`);
  ledger.hold(`${what}: gradebook`, told(book.rows), ids(members.filter(isListedInGradebook)));
  const queue = await teacher.get(`${path}/submissions?group_id=${group.id}&limit=1000`);
  const handedIn = members.filter((one) =>
    run.course.items.some((item) => labSubmissionsForItem(one, item).length > 0),
  );
  ledger.hold(`${what}: submissions`, told(queue), ids(handedIn));
}

/** Releases anonymous grades in runs without final grades. */
export async function releaseAnonymousGrades(
  { service, ledger, day }: At,
  { runs }: SimulatedUniversity,
): Promise<void> {
  const teacher = await signInForApiClient(service, staffEmails.teacher);
  for (const run of runs.filter(({ isGraded }) => !isGraded)) {
    const ids = run.course.items.filter(({ isAnonymous }) => isAnonymous).map(({ id }) => id);
    if (ids.length === 0) continue;
    const path = `/assessments/offerings/${run.id}/grades/release`;
    const told = await teacher.post(path, { content_item_ids: ids });
    ledger.hold(`What is released in ${run.course.code}`, told.changed, ids.length);
    ledger.release(run, day);
  }
}
