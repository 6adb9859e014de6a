import { expect, test } from "vitest";
import { courseReviews } from "../../../schema/db/community/reviews.ts";
import { userContentProgress } from "../../../schema/db/courses/progress.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { answerTo, openSession } from "../tutor/chat/support.ts";

const world = openWorld();
const make = makersOf(world);

test("the stats of an empty course are zeros, and null without a divisor", async () => {
  const { id: university_id } = await make.university();
  const course = await make.course(university_id);
  const ta = world.as(await make.holder("ta", university_id));
  expect((await ta.get(`/courses/${course.id}/stats`)).body).toEqual({
    course_id: course.id,
    enrollment_counts_by_status: { ACTIVE: 0, COMPLETED: 0, DROPPED: 0, PENDING: 0, WAITLISTED: 0 },
    completion_rate: null,
    average_progress_percent: null,
    offerings: 0,
    modules: 0,
    content_items: 0,
    average_rating: null,
    reviews: 0,
    chat_sessions: 0,
    chat_messages: 0,
    cache_hit_rate: null,
  });
});

test("enrollments, progress and reviews are counted over all offerings", async () => {
  const { university, course, offering, module, item } = await make.topic();
  await make.contentItem(module, university.id);
  const second = await make.offering(course);
  const people = await Promise.all(Array.from({ length: 5 }, () => make.person()));
  const [done, active, , dropped, waiting] = people.map((one) => one.id) as [
    number,
    number,
    number,
    number,
    number,
  ];
  await make.enrollment(done, offering.id, "COMPLETED");
  await make.enrollment(active, second.id);
  await make.enrollment(dropped, offering.id, "DROPPED");
  await make.enrollment(waiting, offering.id, "WAITLISTED");
  const progress = { course_offering_id: offering.id, content_item_id: item.id, progress_percent: 100 };
  await world.deps.db.insert(userContentProgress).values({ ...progress, user_id: done });
  for (const [user_id, rating] of [
    [done, 5],
    [dropped, 2],
  ] as const)
    await world.deps.db.insert(courseReviews).values({ user_id, course_offering_id: offering.id, rating });

  const instructor = world.as(await make.holder("instructor", university.id));
  expect((await instructor.get(`/courses/${course.id}/stats`)).body).toMatchObject({
    enrollment_counts_by_status: { ACTIVE: 1, COMPLETED: 1, DROPPED: 1, PENDING: 0, WAITLISTED: 1 },
    completion_rate: 1 / 3,
    average_progress_percent: 25,
    offerings: 2,
    modules: 1,
    content_items: 2,
    average_rating: 3.5,
    reviews: 2,
  });
});

test("progress includes learners, counting items, and a quiz once it is passed", async () => {
  const { university, course, offering, module, item } = await make.topic();
  const quiz = await make.contentItem(module, university.id, { type: "quiz" });
  const hidden = await make.contentItem(module, university.id, { is_active: false });
  const half = await make.person();
  const word = await make.person();
  const done = await make.person();
  const dropped = await make.person();
  const stranger = await make.person();
  await make.enrollment(half.id, offering.id);
  await make.enrollment(done.id, offering.id, "COMPLETED");
  await make.enrollment(dropped.id, offering.id, "DROPPED");
  await make.enrollment(word.id, offering.id, "COMPLETED", { completion_source: "SELF" });
  const at = { course_offering_id: offering.id, content_item_id: item.id };
  const completed_at = new Date().toISOString();
  await world.deps.db.insert(userContentProgress).values([
    { ...at, user_id: half.id, progress_percent: 50 },
    { ...at, user_id: half.id, content_item_id: quiz.id, progress_percent: 80 },
    { ...at, user_id: word.id, progress_percent: 40 },
    { ...at, user_id: done.id, progress_percent: 10, completed_at },
    { ...at, user_id: done.id, content_item_id: quiz.id, progress_percent: 10, completed_at },
    { ...at, user_id: done.id, content_item_id: hidden.id, progress_percent: 100, completed_at },
    { ...at, user_id: dropped.id, progress_percent: 100, completed_at },
    { ...at, user_id: stranger.id, progress_percent: 100, completed_at },
  ]);
  const ta = world.as(await make.holder("ta", university.id));
  const { body } = await ta.get(`/courses/${course.id}/stats`);
  expect(body.average_progress_percent).toBeCloseTo((50 + 40 + 100) / (3 * 2), 6);
  expect(body.enrollment_counts_by_status).toMatchObject({ ACTIVE: 2, COMPLETED: 1, DROPPED: 1 });
});

test("the hit rate is over answers to cacheable messages, up to the first free text of a session", async () => {
  const { university, course, item } = await make.topic();
  const converse = async (...said: string[]) => {
    const session = await openSession(world.as(await make.person()), item.id);
    for (const content of said) await session.say(content);
  };
  const choice = answerTo("q1", "B");
  await converse("Start.", choice, "Why?", choice);
  await converse(" Start.\n", choice);
  await converse("Start.");
  await converse('{"type": "followup", "questionId": "q1", "answer": "B"}');
  await converse();

  const ta = world.as(await make.holder("ta", university.id));
  expect((await ta.get(`/courses/${course.id}/stats`)).body).toMatchObject({
    chat_sessions: 5,
    chat_messages: 16,
    cache_hit_rate: 3 / 5,
  });
});

test("stats are for staff: 401 without a token, 403 for a student, 404 for a hidden course", async () => {
  const { id: university_id } = await make.university();
  const open = await make.course(university_id);
  const hidden = await make.course(university_id, { is_published: false });
  const student = world.as(await make.holder("student", university_id));
  expect((await world.as().get(`/courses/${open.id}/stats`)).status).toBe(401);
  expect((await student.get(`/courses/${open.id}/stats`)).status).toBe(403);
  expect((await student.get(`/courses/${hidden.id}/stats`)).status).toBe(404);
});
