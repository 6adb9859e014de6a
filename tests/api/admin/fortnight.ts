import { activityEvents } from "../../../schema/db/activity.ts";
import { cacheNodes } from "../../../schema/db/cache.ts";
import { chatMessages, chatSessions } from "../../../schema/db/chat.ts";
import { discussionPosts, discussionThreads } from "../../../schema/db/discussions.ts";
import { enrollments } from "../../../schema/db/enrollments.ts";
import { flashcardReviews, flashcards } from "../../../schema/db/flashcards.ts";
import { labSubmissions } from "../../../schema/db/lab-submissions.ts";
import { notes } from "../../../schema/db/notes.ts";
import { userContentProgress, userModuleProgress } from "../../../schema/db/progress.ts";
import { quizAttempts } from "../../../schema/db/quiz-attempts.ts";
import { courseReviews } from "../../../schema/db/reviews.ts";
import { userUniversityRoles } from "../../../schema/db/roles.ts";
import type { EnrollmentStatus } from "../../../schema/enums.ts";
import { makersOf } from "../../support/makers.ts";
import type { World } from "../../support/world.ts";

export type Fortnight = Awaited<ReturnType<typeof playFortnight>>;

/** `03-01 10:00` of 2026, in UTC. */
const at = (moment: string): string => new Date(`2026-${moment.replace(" ", "T")}Z`).toISOString();
const maybe = (moment: string | undefined): string | null => (moment ? at(moment) : null);

/** When the reports are read: the day after. */
export const theDayAfter = "2026-03-15T12:00:00.000Z";

/**
 * What 12 people of two universities did in the fortnight from 1 to 14 March 2026, and a little before and after it
 * that must not be counted. Person 1 administers the platform, 2 to 8 take Signals in the north, 9 to 12 Logic in the
 * south. The reports' figures stand in the tests, counted by hand from these lines.
 */
export async function playFortnight(world: World) {
  const make = makersOf(world);
  const { db } = world.deps;
  const person = await people(make);
  const id = (number: number) => person[number - 1]?.id ?? 0;

  const [north, south] = [await make.university(), await make.university()];
  const signals = await make.course(north.id, { code: "SIG", title: "Signals, and systems" });
  const logic = await make.course(south.id, { code: "=LOG", title: 'Logic "and" proof' });
  const [m1, m2, draft, n1] = [
    await make.module(signals.id),
    await make.module(signals.id),
    await make.module(signals.id, { is_published: false }),
    await make.module(logic.id),
  ];
  const topics = {
    s1: await make.contentItem(m1, north.id),
    s2: await make.contentItem(m2, north.id),
    l1: await make.contentItem(n1, south.id),
    l2: await make.contentItem(n1, south.id),
  };
  const modules = { m1, m2, draft, n1 };
  const offerings = { signals: await make.offering(signals), logic: await make.offering(logic) };
  type Topic = keyof typeof topics;
  const offeringOf = (topic: Topic) => (topic.startsWith("s") ? offerings.signals.id : offerings.logic.id);
  const place = (topic: Topic) => ({
    content_item_id: topics[topic].id,
    course_offering_id: offeringOf(topic),
  });

  await db
    .insert(userUniversityRoles)
    .values({ user_id: id(1), university_id: north.id, role: "PLATFORM_ADMIN" });

  const event = (number: number, verb: string, moment: string, topic?: Topic) => ({
    user_id: id(number),
    university_id: number < 9 ? north.id : south.id,
    verb,
    object_type: topic ? "content_item" : "module",
    object_id: 1,
    content_item_id: topic ? topics[topic].id : null,
    // As a question to the tutor has none.
    course_offering_id: verb === "asked" ? null : number < 9 ? offerings.signals.id : offerings.logic.id,
    occurred_at: at(moment),
  });
  await db.insert(activityEvents).values([
    event(2, "progressed", "03-01 10:00", "s1"),
    event(2, "progressed", "03-01 10:10", "s1"), // 10 minutes
    event(2, "progressed", "03-01 10:35", "s1"), // 25 minutes
    event(2, "progressed", "03-01 11:10", "s1"), // a pause of 35
    event(2, "asked", "03-03 09:00", "s1"),
    event(2, "asked", "03-03 09:05", "s1"), // 5 minutes
    event(3, "progressed", "03-01 23:50", "s1"),
    event(3, "progressed", "03-02 00:05", "s1"), // 15 minutes, over midnight
    event(3, "asked", "03-08 12:00", "s2"),
    event(4, "progressed", "02-28 23:50", "s1"), // before
    event(4, "progressed", "03-01 00:10", "s1"), // 20 minutes, of which the later end counts
    event(5, "completed", "03-04 15:00"),
    event(6, "progressed", "02-20 10:00", "s1"), // before, but in the 30 days
    event(7, "completed", "02-12 23:59", "s2"), // a minute before the 30 days
    event(8, "progressed", "03-15 00:00", "s1"), // after
    event(9, "progressed", "03-10 08:00", "l1"),
    event(9, "progressed", "03-10 08:20", "l1"), // 20 minutes
    event(9, "asked", "03-14 23:50", "l2"),
    event(9, "asked", "03-15 00:10", "l2"), // after
    event(10, "asked", "03-12 10:00", "l1"),
    event(10, "asked", "03-12 10:01", "l1"), // 1 minute
    event(10, "asked", "03-12 10:03", "l1"), // 2 minutes
  ]);

  await talk(2, "s1", "TRACKING", [["03-03 09:00"], ["03-03 09:02", "llm"], ["03-03 09:05", "cache"]]);
  await talk(3, "s2", "TRACKING", [["03-08 12:00"], ["03-08 12:01", "cache"]]);
  await talk(10, "l1", "DIVERGED", [["03-12 10:00"], ["03-12 10:01", "cache"], ["03-12 10:03", "llm alone"]]);
  await talk(9, "l2", "DIVERGED", [["03-14 23:50"], ["03-15 00:10", "llm alone"]]);
  await talk(4, "s1", "TRACKING", [["02-27 09:00"], ["03-01 00:10", "llm"]]);
  await talk(5, "s1", "TRACKING", []);

  /** A conversation: when each message was said, and of answers by whom; `alone` is off the shared paths. */
  async function talk(
    number: number,
    topic: Topic,
    cache_state: "TRACKING" | "DIVERGED",
    said: [string, string?][],
  ) {
    const [session] = await db
      .insert(chatSessions)
      .values({
        user_id: id(number),
        content_item_id: topics[topic].id,
        content_context: {},
        content_fingerprint: "",
        created_at: at(said[0]?.[0] ?? "03-01 00:00"),
        cache_state,
      })
      .returning({ id: chatSessions.id });
    for (const [moment, source] of said)
      await db.insert(chatMessages).values({
        session_id: session?.id ?? 0,
        role: source ? "assistant" : "user",
        content: "",
        meta: source ? { source: source.split(" ")[0] } : {},
        on_shared_path: source !== undefined && !source.endsWith("alone"),
        created_at: at(moment),
      });
  }

  const studied = (number: number, topic: Topic, first: string, completed?: string) => ({
    user_id: id(number),
    ...place(topic),
    first_started_at: at(first),
    completed_at: maybe(completed),
  });
  await db
    .insert(userContentProgress)
    .values([
      studied(2, "s1", "03-01 10:00", "03-03 09:00"),
      studied(2, "s2", "02-25 10:00", "03-05 10:00"),
      studied(3, "s1", "03-01 23:50", "03-15 00:00"),
      studied(3, "s2", "03-08 12:00"),
      studied(5, "s1", "03-04 15:00", "03-04 16:00"),
      studied(9, "l1", "03-10 08:00", "03-14 23:59"),
      studied(10, "l1", "03-15 09:00"),
    ]);

  const walked = (number: number, module: keyof typeof modules, started: string, completed?: string) => ({
    user_id: id(number),
    course_offering_id: number < 9 ? offerings.signals.id : offerings.logic.id,
    module_id: modules[module].id,
    started_at: at(started),
    completed_at: maybe(completed),
  });
  await db.insert(userModuleProgress).values([
    walked(2, "m1", "03-01 10:00", "03-02 10:00"),
    walked(2, "m2", "03-02 10:00", "03-06 10:00"), // completes Signals
    walked(3, "m1", "02-20 10:00", "03-02 10:00"), // goes on
    walked(4, "m1", "02-15 10:00"), // was there on 1 March, the first of the last 14 days
    walked(6, "m1", "02-20 10:00"), // left it alone
    walked(7, "m1", "02-11 10:00", "02-11 11:00"),
    walked(7, "m2", "02-11 10:00", "02-12 23:59"), // completed it before
    walked(8, "draft", "02-01 10:00"), // has begun nothing that is published
    walked(9, "n1", "03-10 08:00", "03-14 23:59"), // completes Logic
    walked(11, "n1", "02-01 10:00"), // left it alone
  ]);

  const enrolled = (
    number: number,
    offering: keyof typeof offerings,
    status: Uppercase<EnrollmentStatus>,
    dropped?: string,
  ) => ({
    user_id: id(number),
    course_offering_id: offerings[offering].id,
    status,
    dropped_at: maybe(dropped),
  });
  await db.insert(enrollments).values([
    enrolled(2, "signals", "COMPLETED"),
    enrolled(3, "signals", "ACTIVE"),
    enrolled(4, "signals", "ACTIVE"),
    enrolled(5, "signals", "ACTIVE"),
    enrolled(6, "signals", "DROPPED", "03-05 10:00"),
    enrolled(7, "signals", "COMPLETED"),
    enrolled(8, "signals", "WAITLISTED"),
    enrolled(2, "logic", "ACTIVE", "03-07 10:00"), // taken up again
    enrolled(9, "logic", "ACTIVE"),
    enrolled(10, "logic", "ACTIVE"),
    enrolled(11, "logic", "DROPPED", "02-20 10:00"),
    enrolled(12, "logic", "PENDING"),
  ]);

  const attempt = (
    number: number,
    topic: Topic,
    submitted?: string,
    score?: number,
    max = 10,
    passed?: boolean,
  ) => ({
    user_id: id(number),
    ...place(topic),
    submitted_at: maybe(submitted),
    score_obtained: score ?? null,
    max_score: score === undefined ? null : max,
    passed: passed ?? null,
  });
  await db
    .insert(quizAttempts)
    .values([
      attempt(2, "s1", "03-03 10:00", 8, 10, true),
      attempt(3, "s1", "03-08 10:00", 3, 10, false),
      attempt(4, "s1", "02-28 23:59", 10, 10, true),
      attempt(5, "s1", "03-04 10:00"),
      attempt(9, "l1", "03-10 10:00", 5, 5, true),
      attempt(10, "l1"),
    ]);

  const lab = (number: number, topic: Topic, submitted: string, score?: number) => ({
    user_id: id(number),
    ...place(topic),
    submitted_at: at(submitted),
    status: score === undefined ? ("submitted" as const) : ("graded" as const),
    score_obtained: score ?? null,
    max_score: score === undefined ? null : 20,
  });
  await db
    .insert(labSubmissions)
    .values([
      lab(2, "s1", "03-04 10:00", 15),
      lab(3, "s1", "03-05 10:00"),
      lab(9, "l1", "03-14 23:59", 10),
      lab(10, "l1", "03-15 00:00", 20),
    ]);

  await db
    .insert(notes)
    .values([2, 2, 9].map((n) => ({ user_id: id(n), content_item_id: topics.s1.id, body: "" })));
  const cards = await db
    .insert(flashcards)
    .values([2, 9].map((number) => ({ user_id: id(number), front: "", back: "" })))
    .returning({ id: flashcards.id });
  await db
    .insert(flashcardReviews)
    .values(
      [...cards, ...cards].map((card) => ({
        flashcard_id: card.id,
        rating: "GOOD" as const,
        state: "REVIEW" as const,
      })),
    );
  const threads = await db
    .insert(discussionThreads)
    .values(
      [offerings.signals, offerings.logic].map((o) => ({
        course_offering_id: o.id,
        created_by_user_id: id(2),
      })),
    )
    .returning({ id: discussionThreads.id });
  await db.insert(discussionPosts).values(
    [false, false, false, true].map((is_deleted) => ({
      thread_id: threads[0]?.id ?? 0,
      user_id: id(3),
      body: "",
      is_deleted,
    })),
  );
  await db.insert(courseReviews).values([
    { user_id: id(2), course_offering_id: offerings.signals.id, rating: 5 },
    { user_id: id(3), course_offering_id: offerings.signals.id, rating: 4 },
    { user_id: id(9), course_offering_id: offerings.logic.id, rating: 3 },
  ]);
  const node = (message_hash: string, chunks: string[] | null) => ({
    content_item_id: topics.s1.id,
    message: "",
    message_hash,
    prompt_name: "tutor",
    prompt_version: 1,
    model: "model",
    prompt_fingerprint: "",
    content_fingerprint: "",
    chunks,
  });
  await db.insert(cacheNodes).values([node("1", ["a"]), node("2", ["b"]), node("3", null)]);

  return { administrator: world.as({ id: id(1) }), signals, logic };
}

/** When each signed up, and their streak as it is stored: days, last active date, time zone. */
function people(make: ReturnType<typeof makersOf>) {
  const accounts: [signedUp: string, streak: number, last: string | null, time_zone?: string][] = [
    ["02-10 10:00", 0, null],
    ["02-10 10:00", 1, "2026-03-15"],
    ["02-10 10:00", 5, "2026-03-14"],
    ["02-10 10:00", 7, "2026-03-13"], // missed a day
    ["02-10 10:00", 40, "2026-03-15"],
    ["02-10 10:00", 3, "2026-03-15", "Pacific/Auckland"], // where it is the 16th
    ["03-02 00:00", 9, "2026-03-14", "Pacific/Auckland"], // missed a day there
    ["03-02 12:00", 14, "2026-03-14", "America/Los_Angeles"],
    ["03-02 23:59", 100, "2026-03-15"],
    ["03-05 10:00", 0, null],
    ["03-14 23:59", 0, null],
    ["03-15 00:00", 0, null],
  ];
  return Promise.all(
    accounts.map(([signedUp, current_streak_days, last_activity_date, time_zone = "UTC"]) =>
      make.person({ created_at: at(signedUp), current_streak_days, last_activity_date, time_zone }),
    ),
  );
}
