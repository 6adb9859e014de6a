import { type Caller, signIn } from "./client.ts";
import { type Day, dayOf } from "./days.ts";
import {
  attemptAt,
  coursePercent,
  cut,
  daysDone,
  isAtHome,
  isDone,
  leftToDo,
  openItems,
  percentOf,
} from "./definitions.ts";
import type { Ledger, Place } from "./ledger.ts";
import type { Learner } from "./people.ts";
import type { Service } from "./service.ts";
import { allRuns, type Run, type SimulatedUniversity, staff } from "./university.ts";

type At = { service: Service; ledger: Ledger; day: Day };

type HomeCourse = {
  course_offering: { id: number };
  status: string;
  position: number | null;
  progress_percent: number;
  next_item: { id: number } | null;
};

export const byFirst = (one: unknown[], other: unknown[]) => Number(one[0]) - Number(other[0]);

/** Holds a learner's home against what they did: their courses, how far they are, what is next, and how much is due. */
export async function holdHome({ ledger, day }: At, caller: Caller, learner: Learner): Promise<void> {
  const home = await caller.get("/users/me/home");
  const told = (home.courses as HomeCourse[]).map((one) => [
    one.course_offering.id,
    one.status,
    one.position,
    one.progress_percent,
    one.next_item?.id ?? null,
  ]);
  const taken = ledger.placesOf(learner).filter((place) => isAtHome(place, day));
  const done = taken.map((place) => {
    const position = place.status === "WAITLISTED" ? ledger.waiting(place.run).indexOf(place) + 1 : null;
    const next = place.status === "ACTIVE" ? openItems(ledger, place, day)[0] : undefined;
    return [place.run.id, place.status, position, coursePercent(place), next?.id ?? null];
  });
  ledger.hold(`The home of ${learner.email} on ${day}`, told.toSorted(byFirst), done.toSorted(byFirst));
  const active = taken.filter(({ status }) => status === "ACTIVE");
  const left = active.flatMap((place) => leftToDo(ledger, place, day));
  ledger.hold(`What is due for ${learner.email} on ${day}`, home.due.length, Math.min(50, left.length));
}

/** Holds every roster, the figures of every course, and the outline of a few learners. */
export async function holdRosters(at: At, university: SimulatedUniversity): Promise<void> {
  const teacher = await signIn(at.service, staff.teacher);
  for (const run of allRuns(university)) {
    const path = `/courses/${run.course.id}/offerings/${run.id}`;
    const roster = await teacher.get(`${path}/enrollments?limit=1000`);
    const told = roster.map((one: Record<string, unknown>) => [
      one["user_id"],
      one["status"],
      one["progress_percent"],
      one["completed_items"],
      one["last_activity_at"] ? dayOf(new Date(String(one["last_activity_at"]))) : null,
    ]);
    const places = at.ledger.in(run).filter(({ learner }) => !learner.isErased);
    const done = places.map((place) => [
      place.learner.id,
      place.status,
      coursePercent(place),
      daysDone(place).size,
      lastActivity(at.ledger, place),
    ]);
    at.ledger.hold(`The roster of ${run.course.code}`, told.toSorted(byFirst), done.toSorted(byFirst));
    if (run !== university.second) await holdStats(at, teacher, run, university);
    for (const place of places.filter(({ status }) => status !== "WAITLISTED").slice(0, 5))
      await holdOutline(at, teacher, path, place);
  }
}

const lastActivity = ({ activities }: Ledger, { learner, run }: Place): Day | null =>
  activities.filter((one) => one.learner === learner && one.run === run).at(-1)?.day ?? null;

async function holdStats(
  { ledger }: At,
  teacher: Caller,
  run: Run,
  university: SimulatedUniversity,
): Promise<void> {
  const runs = allRuns(university).filter((one) => one.course === run.course);
  const places = runs.flatMap((one) => ledger.in(one));
  const { id: course, items } = run.course;
  const told = await teacher.get(`/courses/${course}/stats`);
  const count = (...statuses: string[]) => places.filter(({ status }) => statuses.includes(status)).length;
  const learners = places.filter(({ status }) => status === "ACTIVE" || status === "COMPLETED");
  const percents = learners.flatMap((place) => items.map((item) => percentOf(place, item)));
  const had = count("ACTIVE", "COMPLETED", "DROPPED");
  const talks = ledger.conversations.filter(({ run }) => run.course.id === course);
  const messages = talks.reduce((sum, talk) => sum + talk.messages, 0);
  ledger.hold(
    `The figures of course ${course}`,
    [
      told.enrollment_counts_by_status,
      rounded(told.completion_rate),
      rounded(told.average_progress_percent),
      [told.content_items, told.offerings, told.chat_sessions, told.chat_messages],
    ],
    [
      countsByStatus(places),
      rounded(had ? count("COMPLETED") / had : null),
      rounded(
        learners.length
          ? percents.reduce((sum, one) => sum + one, 0) / (learners.length * items.length)
          : null,
      ),
      [items.length, runs.length, talks.length, 2 * messages],
    ],
  );
}

/** As the service lists them. */
export const countsByStatus = (places: readonly Place[]): Record<string, number> =>
  Object.fromEntries(
    ["ACTIVE", "COMPLETED", "DROPPED", "PENDING", "WAITLISTED"].map((wanted) => [
      wanted,
      places.filter(({ status }) => status === wanted).length,
    ]),
  );

/** Sums of fractions differ in their last places by the order in which they are added: those go first. */
export const rounded = (value: number | null): number | null =>
  value === null ? null : Number(Number(value.toPrecision(12)).toFixed(6));

async function holdOutline({ ledger }: At, teacher: Caller, path: string, place: Place): Promise<void> {
  const outline = await teacher.get(`${path}/outline?user_id=${place.learner.id}`);
  type Told = {
    items: { id: number; completed_at: string | null; attempt: unknown }[];
    computed_percent: number;
  };
  const modules = outline.modules as Told[];
  const { course } = place.run;
  const done = modules.flatMap(({ items }) => items).filter(({ completed_at }) => completed_at);
  const percents = new Map(course.items.map((item) => [item.id, percentOf(place, item)]));
  ledger.hold(
    `The attempts of ${place.learner.email} in ${course.code}`,
    modules.flatMap(({ items }) => items.map(({ attempt }) => attempt)),
    course.items.map((item) => attemptAt(ledger, place, item, true)),
  );
  ledger.hold(
    `The outline of ${place.learner.email} in ${place.run.course.code}`,
    [done.map(({ id }) => id), modules.map(({ computed_percent }) => computed_percent)],
    [
      course.items.filter((item) => isDone(place, item)).map(({ id }) => id),
      modules.map(({ items }) =>
        cut(items.reduce((sum, { id }) => sum + (percents.get(id) ?? 0), 0) / items.length),
      ),
    ],
  );
}
