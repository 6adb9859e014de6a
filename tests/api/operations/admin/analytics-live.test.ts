import { describe, expect, it } from "vitest";
import { cacheNodes } from "../../../../schema/db/tutor/cache.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, openSession } from "../../tutor/chat/support.ts";
import { playFortnight, theDayAfter } from "./fortnight/play.ts";

describe("a course of another university", () => {
  const world = openWorld();
  const make = makersOf(world);

  it("has none of the figures", async () => {
    world.setNow(theDayAfter);
    const { administrator } = await playFortnight(world);
    const { course } = await make.topic();
    const query = `date_from=2026-03-01&date_to=2026-03-14&course_id=${course.id}`;
    const engagement = (await administrator.get(`/admin/analytics/engagement?${query}`)).body;
    expect(engagement).toMatchObject({
      average_time_per_topic_seconds: null,
      average_chat_turns_per_topic_per_user: null,
      average_session_duration_seconds: null,
      content_started_count: 0,
      completion_rate: null,
    });
    const progress = (await administrator.get(`/admin/analytics/progress?${query}`)).body;
    expect(progress).toMatchObject({
      total_enrollments: 0,
      drop_off_count: 0,
      course_tree_completion_count: 0,
    });
    expect(progress.per_course_breakdown).toHaveLength(1);
  });
});

describe("an empty platform", () => {
  const world = openWorld();
  const make = makersOf(world);

  it("has zeros for counts and nulls for rates", async () => {
    const { id } = await make.university();
    const administrator = world.as(await make.holder("platform_admin", id));
    const read = async (path: string) => (await administrator.get(`/admin/analytics/${path}`)).body;
    const overview = await read("overview");
    expect(overview).toMatchObject({
      total_registered_users: 1,
      weekly_active_users: 0,
      monthly_active_users: 0,
    });
    expect(overview.daily_active_users).toHaveLength(30);
    expect(await read("engagement")).toMatchObject({
      average_time_per_topic_seconds: null,
      completion_rate: null,
    });
    expect(await read("progress")).toMatchObject({
      average_mastered_topics_per_user: null,
      total_enrollments: 0,
      per_course_breakdown: [],
    });
    expect(await read("assessments")).toMatchObject({ quiz_attempt_count: 0, quiz_pass_rate: null });
    expect(await read("cache")).toMatchObject({
      cache_hit_count: 0,
      hit_rate: null,
      cache_hit_rate: null,
      total_cached_nodes: 0,
    });
    expect(await read("community")).toMatchObject({ total_reviews: 0, average_course_rating: null });
  });
});

describe("reports", () => {
  const world = openWorld();
  const make = makersOf(world);

  it.each(["overview", "engagement", "progress", "assessments", "cache", "community"])(
    "of %s are for platform administrators alone",
    async (path) => {
      const { id } = await make.university();
      const admin = world.as(await make.holder("university_admin", id));
      expect((await admin.get(`/admin/analytics/${path}`)).status).toBe(403);
      expect((await world.as().get(`/admin/analytics/${path}`)).status).toBe(401);
    },
  );

  it("count learners' activity live: hits and misses are the answers to cacheable messages", async () => {
    world.setNow(new Date());
    const { university, offering, item } = await make.topic();
    const administrator = world.as(await make.holder("platform_admin", university.id));
    const cache = async () => (await administrator.get("/admin/analytics/cache")).body;
    const [first, second] = [await make.person(), await make.person()];
    await make.enrollment(first.id, offering.id);

    const one = await openSession(world.as(first), item.id);
    await one.greet();
    await one.say(answerTo("q1", "A"));
    const other = await openSession(world.as(second), item.id);
    await other.greet();
    await other.say("What is a signal?");
    await other.say("Start.");
    await world.as(first).post("/progress/content", {
      content_item_id: item.id,
      course_offering_id: offering.id,
      progress_percent: 100,
    });

    const counted = await cache();
    expect(counted).toEqual({
      cache_hit_count: 1,
      cache_miss_count: 2,
      hit_rate: 1 / 3,
      cache_hit_rate: 1 / 3,
      session_divergence_rate: 0.5,
      total_cached_nodes: 2,
      total_hits_served: 1,
    });
    const engagement = (await administrator.get("/admin/analytics/engagement")).body;
    expect(engagement).toMatchObject({
      average_chat_turns_per_topic_per_user: 2.5,
      content_started_count: 1,
      content_completed_count: 1,
      completion_rate: 1,
    });
    expect((await administrator.get("/admin/analytics/overview")).body.weekly_active_users).toBe(2);

    await world.deps.db.delete(cacheNodes);
    expect(await cache(), "pruning leaves what was counted").toEqual({ ...counted, total_cached_nodes: 0 });
  });

  it("count people with several concurrent activities once", async () => {
    world.setNow(new Date());
    const { university, offering, item } = await make.topic();
    const administrator = world.as(await make.holder("platform_admin", university.id));
    const active = async () =>
      (await administrator.get("/admin/analytics/overview")).body.weekly_active_users;
    const before = await active();
    const learners = await Promise.all(Array.from({ length: 5 }, () => make.person()));
    await Promise.all(learners.map(({ id }) => make.enrollment(id, offering.id)));
    const post = { content_item_id: item.id, course_offering_id: offering.id, progress_percent: 10 };
    const answers = await Promise.all(
      [...learners, ...learners, ...learners].map((one) => world.as(one).post("/progress/content", post)),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await active()).toBe(before + 5);
  });

  it("count a drop on the day of the drop, also when the enrollment is taken up again", async () => {
    world.setNow(new Date());
    const { university, course, offering } = await make.topic();
    const administrator = world.as(await make.holder("platform_admin", university.id));
    const learner = world.as(await make.person());
    const report = async () => {
      const { body } = await administrator.get(`/admin/analytics/progress?course_id=${course.id}`);
      return [body.drop_off_count, body.enrollment_counts_by_status.DROPPED];
    };
    const enrollment = (await learner.post("/enrollments/", { course_offering_id: offering.id })).body;
    expect(await report()).toEqual([0, 0]);
    await learner.put(`/enrollments/${enrollment.id}`, { status: "DROPPED" });
    expect(await report()).toEqual([1, 1]);
    await learner.post("/enrollments/", { course_offering_id: offering.id });
    expect(await report()).toEqual([1, 0]);
  });
});
