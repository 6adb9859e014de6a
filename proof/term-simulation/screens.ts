import { type ApiClient, signInForApiClient } from "./client.ts";
import { type SimulatedDay, utcDayOfMoment } from "./days.ts";
import {
  completionDaysByItem,
  courseProgressPercent,
  expectedOutlineAttempt,
  isGradedAnonymously,
  isItemCompleted,
  isOnHomeScreen,
  itemProgressPercent,
  itemsLeftToDo,
  itemsOpenToLearner,
  truncatePercent,
} from "./definitions.ts";
import type { ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import type { SimulatedLearner } from "./people.ts";
import type { ServiceUnderTest } from "./service.ts";
import { allRunsOfUniversity, type CourseRun, type SimulatedUniversity, staffEmails } from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

type HomeCourse = {
  course_offering: { id: number };
  status: string;
  position: number | null;
  progress_percent: number;
  next_item: { id: number } | null;
};

export const compareByFirstElement = (one: unknown[], other: unknown[]) => Number(one[0]) - Number(other[0]);

/** Checks a learner's home: courses, progress, next items, and the number of due items. */
export async function checkLearnerHome(
  { ledger, day }: At,
  caller: ApiClient,
  learner: SimulatedLearner,
): Promise<void> {
  const home = await caller.get("/users/me/home");
  const told = (home.courses as HomeCourse[]).map((one) => [
    one.course_offering.id,
    one.status,
    one.position,
    one.progress_percent,
    one.next_item?.id ?? null,
  ]);
  const taken = ledger.enrollmentsOf(learner).filter((enrollment) => isOnHomeScreen(enrollment, day));
  const done = taken.map((enrollment) => {
    const position =
      enrollment.status === "WAITLISTED" ? ledger.waiting(enrollment.run).indexOf(enrollment) + 1 : null;
    const next = enrollment.status === "ACTIVE" ? itemsOpenToLearner(ledger, enrollment, day)[0] : undefined;
    return [
      enrollment.run.id,
      enrollment.status,
      position,
      courseProgressPercent(enrollment),
      next?.id ?? null,
    ];
  });
  ledger.hold(
    `The home of ${learner.email} on ${day}`,
    told.toSorted(compareByFirstElement),
    done.toSorted(compareByFirstElement),
  );
  const active = taken.filter(({ status }) => status === "ACTIVE");
  const left = active.flatMap((enrollment) => itemsLeftToDo(ledger, enrollment, day));
  ledger.hold(`What is due for ${learner.email} on ${day}`, home.due.length, Math.min(50, left.length));
}

/** Checks every roster, every course's figures, and some learners' outlines. */
export async function checkRostersStatsAndOutlines(at: At, university: SimulatedUniversity): Promise<void> {
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  for (const run of allRunsOfUniversity(university)) {
    const path = `/courses/${run.course.id}/offerings/${run.id}`;
    const roster = await teacher.get(`${path}/enrollments?limit=1000`);
    const told = roster.map((one: Record<string, unknown>) => [
      one["user_id"],
      one["status"],
      one["progress_percent"],
      one["completed_items"],
      one["last_activity_at"] ? utcDayOfMoment(new Date(String(one["last_activity_at"]))) : null,
    ]);
    const enrollments = at.ledger.in(run).filter(({ learner }) => !learner.isErased);
    const done = enrollments.map((enrollment) => [
      enrollment.learner.id,
      enrollment.status,
      courseProgressPercent(enrollment),
      completionDaysByItem(enrollment).size,
      lastActivity(at.ledger, enrollment),
    ]);
    at.ledger.hold(
      `The roster of ${run.course.code}`,
      told.toSorted(compareByFirstElement),
      done.toSorted(compareByFirstElement),
    );
    if (run !== university.second) await holdStats(at, teacher, run, university);
    for (const enrollment of enrollments.filter(({ status }) => status !== "WAITLISTED").slice(0, 5))
      await holdOutline(at, teacher, path, enrollment);
  }
}

const lastActivity = (
  { activities }: SimulationLedger,
  { learner, run }: ExpectedEnrollment,
): SimulatedDay | null =>
  activities.filter((one) => one.learner === learner && one.run === run).at(-1)?.day ?? null;

async function holdStats(
  { ledger }: At,
  teacher: ApiClient,
  run: CourseRun,
  university: SimulatedUniversity,
): Promise<void> {
  const runs = allRunsOfUniversity(university).filter((one) => one.course === run.course);
  const enrollments = runs.flatMap((one) => ledger.in(one));
  const { id: course, items } = run.course;
  const told = await teacher.get(`/courses/${course}/stats`);
  const count = (...statuses: string[]) =>
    enrollments.filter(({ status }) => statuses.includes(status)).length;
  const learners = enrollments.filter(({ status }) => status === "ACTIVE" || status === "COMPLETED");
  const percents = learners.flatMap((enrollment) =>
    items.map((item) => itemProgressPercent(enrollment, item)),
  );
  const had = count("ACTIVE", "COMPLETED", "DROPPED");
  const talks = ledger.conversations.filter(({ run }) => run.course.id === course);
  const messages = talks.reduce((sum, talk) => sum + talk.messages, 0);
  ledger.hold(
    `The figures of course ${course}`,
    [
      told.enrollment_counts_by_status,
      roundFloatingPoint(told.completion_rate),
      roundFloatingPoint(told.average_progress_percent),
      [told.content_items, told.offerings, told.chat_sessions, told.chat_messages],
    ],
    [
      countEnrollmentsByStatus(enrollments),
      roundFloatingPoint(had ? count("COMPLETED") / had : null),
      roundFloatingPoint(
        learners.length
          ? percents.reduce((sum, one) => sum + one, 0) / (learners.length * items.length)
          : null,
      ),
      [items.length, runs.length, talks.length, 2 * messages],
    ],
  );
}

/** In the service's order. */
export const countEnrollmentsByStatus = (
  enrollments: readonly ExpectedEnrollment[],
): Record<string, number> =>
  Object.fromEntries(
    ["ACTIVE", "COMPLETED", "DROPPED", "PENDING", "WAITLISTED"].map((wanted) => [
      wanted,
      enrollments.filter(({ status }) => status === wanted).length,
    ]),
  );

/** Removes floating-point noise, which depends on the order of addition. */
export const roundFloatingPoint = (value: number | null): number | null =>
  value === null ? null : Number(Number(value.toPrecision(12)).toFixed(6));

async function holdOutline(
  { ledger }: At,
  teacher: ApiClient,
  path: string,
  enrollment: ExpectedEnrollment,
): Promise<void> {
  const outline = await teacher.get(`${path}/outline?user_id=${enrollment.learner.id}`);
  type Told = {
    items: { id: number; completed_at: string | null; attempt: unknown }[];
    computed_percent: number;
  };
  const modules = outline.modules as Told[];
  const { course } = enrollment.run;
  const done = modules.flatMap(({ items }) => items).filter(({ completed_at }) => completed_at);
  const percents = new Map(course.items.map((item) => [item.id, itemProgressPercent(enrollment, item)]));
  ledger.hold(
    `The attempts of ${enrollment.learner.email} in ${course.code}`,
    modules.flatMap(({ items }) => items.map(({ attempt }) => attempt)),
    course.items.map((item) => expectedOutlineAttempt(ledger, enrollment, item, true)),
  );
  ledger.hold(
    `The outline of ${enrollment.learner.email} in ${enrollment.run.course.code}`,
    [done.map(({ id }) => id), modules.map(({ computed_percent }) => computed_percent)],
    [
      course.items
        // Staff do not see completion of anonymously graded items.
        .filter((item) => isItemCompleted(enrollment, item) && !isGradedAnonymously(enrollment.run, item))
        .map(({ id }) => id),
      modules.map(({ items }) =>
        truncatePercent(items.reduce((sum, { id }) => sum + (percents.get(id) ?? 0), 0) / items.length),
      ),
    ],
  );
}
