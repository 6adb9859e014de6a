import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { beforeAll, describe, expect, it } from "vitest";
import { rollUpReportData } from "../../../../lib/operations/analytics/roll-up.ts";
import { certificates } from "../../../../schema/db/assessment/certificates.ts";
import { labSubmissions } from "../../../../schema/db/assessment/lab-submissions.ts";
import { quizAttempts } from "../../../../schema/db/assessment/quiz-attempts.ts";
import { discussionPosts, discussionThreads } from "../../../../schema/db/community/discussions.ts";
import { flashcardReviews, flashcards } from "../../../../schema/db/community/flashcards.ts";
import { notes } from "../../../../schema/db/community/notes.ts";
import { courseReviews } from "../../../../schema/db/community/reviews.ts";
import { activityEvents } from "../../../../schema/db/courses/activity.ts";
import { courses } from "../../../../schema/db/courses/courses.ts";
import { enrollments } from "../../../../schema/db/courses/enrollments.ts";
import { modules } from "../../../../schema/db/courses/modules.ts";
import { userContentProgress, userModuleProgress } from "../../../../schema/db/courses/progress.ts";
import { users } from "../../../../schema/db/identity/users.ts";
import { reportMeasures } from "../../../../schema/enums.ts";
import { makersOf } from "../../../support/makers.ts";
import { isExhaustive } from "../../../support/representatives.ts";
import { openWorld } from "../../../support/world.ts";
import { courseProgressAt } from "./course-progress.ts";
import { drawing } from "./drawn.ts";
import { readTotals, recountTotals } from "./totals.ts";

const world = openWorld();
const make = makersOf(world);
const { drawn, oneOf, several } = drawing();

/** Within a quarter: some people return after a pause, others do not. */
const moment = (): string => new Date(Date.UTC(2026, 0, 1) + drawn(90 * 72) * 1_200_000).toISOString();
const maybe = <T>(value: T): T | null => oneOf([value, value, null]);

type Taught = { course: number; offering: number; item: number; work: number; modules: number[] };

/** Makes each submission a separate attempt. */
let handedIn = 0;
let people: number[];
let taught: Taught[];

beforeAll(async () => {
  people = await Promise.all(Array.from({ length: 6 }, async () => (await make.person()).id));
  taught = await Promise.all(
    (["engineering_lab", "assignment"] as const).map(async (type) => {
      const { course, offering, item, module, university } = await make.topic();
      const work = await make.contentItem(module, university.id, { type, is_active: false });
      const others = [await make.module(course.id), await make.module(course.id, { is_published: false })];
      return {
        course: course.id,
        offering: offering.id,
        item: item.id,
        work: work.id,
        modules: [module, ...others].map(({ id }) => id),
      };
    }),
  );
});

const db = () => world.deps.db;
const at = () => {
  const { offering, item } = oneOf(taught);
  return { user_id: oneOf(people), course_offering_id: offering, content_item_id: item };
};

/** Every write that affects totals, each run with different values. */
const writes: Record<string, () => Promise<unknown>> = {
  enroll: () => {
    const { user_id, course_offering_id } = at();
    const status = oneOf(["ACTIVE", "DROPPED", "WAITLISTED"] as const);
    return db().insert(enrollments).values({ user_id, course_offering_id, status }).onConflictDoNothing();
  },
  moveEnrollment: () =>
    db()
      .update(enrollments)
      .set({
        status: oneOf(["ACTIVE", "COMPLETED", "DROPPED", "PENDING"] as const),
        dropped_at: maybe(moment()),
      })
      .where(eq(enrollments.user_id, oneOf(people))),
  leave: () => db().delete(enrollments).where(ofSomeone(enrollments)),
  studyTopic: () => {
    const set = { first_started_at: moment(), completed_at: maybe(moment()) };
    const { user_id, course_offering_id, content_item_id } = userContentProgress;
    return db()
      .insert(userContentProgress)
      .values({ ...at(), ...set })
      .onConflictDoUpdate({ target: [user_id, course_offering_id, content_item_id], set });
  },
  revokeCertificates: () =>
    db()
      .update(certificates)
      .set({ revoked_at: moment(), revocation_reason: "Copied" })
      .where(ofSomeone(certificates)),
  forgetCertificates: () => db().delete(certificates).where(ofSomeone(certificates)),
  forgetTopic: () => db().delete(userContentProgress).where(ofSomeone(userContentProgress)),
  walkModule: () => {
    const { offering, modules: all } = oneOf(taught);
    const set = { started_at: moment(), completed_at: maybe(moment()) };
    const { user_id, course_offering_id, module_id } = userModuleProgress;
    return db()
      .insert(userModuleProgress)
      .values({ user_id: oneOf(people), course_offering_id: offering, module_id: oneOf(all), ...set })
      .onConflictDoUpdate({ target: [user_id, course_offering_id, module_id], set });
  },
  walkAll: () => {
    const { offering, course } = oneOf(taught);
    return db().execute(sql`
      insert into user_module_progress (user_id, course_offering_id, module_id, started_at, completed_at)
      select ${oneOf(people)}::int, ${offering}::int, id, ${moment()}, ${moment()}
      from modules where course_id = ${course} and is_published
      on conflict (user_id, course_offering_id, module_id) do update set completed_at = excluded.completed_at`);
  },
  forgetModule: () => db().delete(userModuleProgress).where(ofSomeone(userModuleProgress)),
  beActive: () => {
    const [chosen, hour] = [at(), Date.parse(moment())];
    const event = () => ({
      ...chosen,
      verb: oneOf(["asked", "progressed"]),
      object_type: "content_item",
      object_id: 1,
      occurred_at: new Date(hour + drawn(60) * 60_000).toISOString(),
    });
    return db().insert(activityEvents).values(several(event));
  },
  publish: () =>
    db()
      .update(modules)
      .set({ is_published: oneOf([true, true, false]) })
      .where(eq(modules.id, oneOf(oneOf(taught).modules))),
  addModule: async () => {
    const chosen = oneOf(taught);
    if (drawn(4) === 0) chosen.modules.push((await make.module(chosen.course)).id);
  },
  deleteModule: () =>
    db()
      .delete(modules)
      .where(
        and(
          eq(modules.id, oneOf(oneOf(taught).modules)),
          sql`not exists (select from user_module_progress where module_id = modules.id)`,
          sql`not exists (select from content_items where module_id = modules.id)`,
        ),
      )
      .then(forgetGoneModules),
  tryQuiz: () =>
    db()
      .insert(quizAttempts)
      .values({ ...at(), attempt_number: drawn(1_000_000), ...result() })
      // A person has at most one open attempt at a quiz.
      .onConflictDoNothing(),
  gradeQuiz: () =>
    db()
      .update(quizAttempts)
      .set({ ...result(), submitted_at: moment() })
      .where(eq(quizAttempts.user_id, oneOf(people))),
  forgetQuiz: () => db().delete(quizAttempts).where(ofSomeone(quizAttempts)),
  handInWork: () => {
    const { offering, work } = oneOf(taught);
    const chosen = { course_offering_id: offering, content_item_id: work };
    const user_id = oneOf(people);
    return db()
      .insert(labSubmissions)
      .values({ ...chosen, user_id, attempt_number: ++handedIn, submitted_at: moment() });
  },
  gradeWork: () =>
    db()
      .update(labSubmissions)
      .set({ status: "graded", score_obtained: maybe(drawn(20)), max_score: maybe(oneOf([0, 7, 20])) })
      .where(eq(labSubmissions.user_id, oneOf(people))),
  write: () => {
    const { user_id, content_item_id } = at();
    return db().insert(notes).values({ user_id, content_item_id, body: "A note" });
  },
  makeCard: async () => {
    const made = await db()
      .insert(flashcards)
      .values({ user_id: oneOf(people), front: "What?", back: "That" })
      .returning();
    const reviews = several(() => ({ flashcard_id: made[0]?.id ?? 0, rating: "GOOD" as const }));
    await db().insert(flashcardReviews).values(reviews);
  },
  tearCards: () => db().delete(flashcards).where(ofSomeone(flashcards)),
  discuss: async () => {
    const { user_id, course_offering_id } = at();
    const made = await db()
      .insert(discussionThreads)
      .values({ course_offering_id, created_by_user_id: user_id })
      .returning();
    const posts = several(() => ({ thread_id: made[0]?.id ?? 0, user_id, body: "A thought" }));
    await db().insert(discussionPosts).values(posts);
  },
  takeBack: () =>
    db()
      .update(discussionPosts)
      .set({ is_deleted: oneOf([true, false]) })
      .where(ofSomeone(discussionPosts)),
  closeThread: () =>
    db()
      .delete(discussionThreads)
      .where(sql`id % 5 = ${drawn(5)}`),
  review: () => {
    const { user_id, course_offering_id } = at();
    const set = { rating: 1 + drawn(5) };
    return db()
      .insert(courseReviews)
      .values({ user_id, course_offering_id, ...set })
      .onConflictDoUpdate({ target: [courseReviews.user_id, courseReviews.course_offering_id], set });
  },
};

const ofSomeone = (table: { user_id: PgColumn }): SQL => sql`${table.user_id} = ${oneOf(people)}`;

const result = () => ({
  submitted_at: maybe(moment()),
  passed: maybe(oneOf([true, false])),
  score_obtained: maybe(drawn(10)),
  max_score: maybe(oneOf([0, 3, 10])),
});

async function forgetGoneModules(): Promise<void> {
  const left = new Set((await db().select({ id: modules.id }).from(modules)).map(({ id }) => id));
  for (const chosen of taught) chosen.modules = chosen.modules.filter((id) => left.has(id));
}

describe("a current total", () => {
  it("equals a full count after writes in any order", async () => {
    const kinds = Object.values(writes);
    const measures = new Set<string>();
    for (let round = 0; round < 1000; round++) {
      await oneOf(kinds)();
      if (drawn(10) === 0) for (const { measure } of await readTotals(db())) measures.add(measure);
    }
    const kept = await readTotals(db());
    const found = reportMeasures.filter((measure) => measures.has(measure));
    expect(found.length, "all but those of conversations").toBe(reportMeasures.length - 8);
    expect(await recountTotals(db())).toEqual(kept);
  });

  it("has the trees that were completed or interrupted by any day, as their definition finds them", async () => {
    for (const { offering } of taught)
      for (const user_id of people)
        await db()
          .insert(userModuleProgress)
          .values({
            user_id,
            course_offering_id: offering,
            module_id: oneOf(taught).modules[0] ?? 0,
            started_at: moment(),
          })
          .onConflictDoNothing();
    const totals = await readTotals(db());
    const sum = (measure: string, course: number, isIn: (day: string) => boolean) =>
      totals
        .filter((total) => total.measure === measure && total.course_id === course && isIn(total.day ?? ""))
        .reduce((all, { amount }) => all + Number(amount), 0);
    let interrupted = 0;
    for (const { course } of taught)
      for (let day = 0; day < 120; day += 1) {
        const to = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
        const from = new Date(Date.UTC(2026, 0, 1 + day - 9)).toISOString().slice(0, 10);
        const found = {
          completed: sum("trees_completed", course, (date) => date >= from && date <= to),
          interrupted: sum("trees_interrupted", course, (date) => date <= to),
        };
        expect(found, `${course} on ${to}`).toEqual(await courseProgressAt(db(), course, from, to));
        interrupted += found.interrupted;
      }
    expect(interrupted).toBeGreaterThan(10);
  });

  it("is deleted with its people", async () => {
    const { offering, item } = oneOf(taught);
    const before = await readTotals(db());
    const { id: user_id } = await make.person();
    const chosen = { user_id, course_offering_id: offering };
    await make.enrollment(user_id, offering);
    await db()
      .insert(userModuleProgress)
      .values({ ...chosen, module_id: oneOf(taught).modules[0] ?? 0, started_at: moment() });
    await db()
      .insert(userContentProgress)
      .values({ ...chosen, content_item_id: item });
    await db().insert(notes).values({ user_id, content_item_id: item, body: "A note" });
    expect(await readTotals(db())).not.toEqual(before);
    await db().delete(users).where(eq(users.id, user_id));
    expect(await readTotals(db())).toEqual(before);
  });
});

it("nothing of a deleted course is left in any total but that people were active", async () => {
  const before = await readTotals(db());
  const { course, offering } = await make.topic();
  const event = {
    user_id: people[0] ?? 0,
    verb: "progressed",
    object_type: "module",
    object_id: 1,
    course_offering_id: offering.id,
  };
  const occurred_at = "2027-01-01T12:00:00Z";
  await db()
    .insert(activityEvents)
    .values({ ...event, occurred_at });
  expect((await readTotals(db())).filter(({ course_id }) => course_id === course.id)).toHaveLength(1);
  await db().delete(courses).where(eq(courses.id, course.id));
  const after = await readTotals(db());
  const anywhere = ({ day }: { day: string | null }) => day === "2027-01-01";
  expect(after.filter((total) => !anywhere(total))).toEqual(before);
  expect(after.filter(anywhere)).toMatchObject([{ measure: "people", course_id: null, amount: "1" }]);
  expect(await recountTotals(db())).toEqual(after);
});

it("counts all concurrent writers once while reports are counted", async () => {
  const kinds = [
    "enroll",
    "studyTopic",
    "walkModule",
    "beActive",
    "publish",
    "tryQuiz",
    "makeCard",
    "discuss",
  ];
  let isWriting = true;
  const counting = (async () => {
    while (isWriting) await rollUpReportData(db());
  })();
  const writer = async () => {
    for (let time = 0; time < (isExhaustive() ? 40 : 15); time++) await writes[oneOf(kinds)]?.();
  };
  await Promise.all(Array.from({ length: 8 }, writer));
  isWriting = false;
  await counting;
  const kept = await readTotals(db());
  expect(await recountTotals(db())).toEqual(kept);
});
