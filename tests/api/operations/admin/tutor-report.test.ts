import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { hold, keepLeases, openSession } from "../../tutor/chat/support.ts";

const world = openWorld({
  LLM_PRICES: JSON.stringify({ "model-of-the-tests": { input: 3, output: 15 } }),
});
const make = makersOf(world);
keepLeases(world);

/** The days around the database's current time, which dates calls and messages. */
const period = () => {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  return `date_from=${day(-1)}&date_to=${day(1)}`;
};

describe("24 concurrent greetings, and one more later", () => {
  it("are one call and 24 saved, in the tutor's report and in that of the tree", async () => {
    const { item, course } = await make.topic();
    const { course: elsewhere, item: another } = await make.topic();
    const admin = world.as(await make.holder("university_admin", course.university_id));
    const other = world.as(await make.holder("university_admin", elsewhere.university_id));
    const platform = world.as(await make.holder("platform_admin", course.university_id));
    const { held, release } = hold();
    world.llm.script({ chunks: ["Hello, ", held, "all."], input_tokens: 1000, output_tokens: 100 });
    const learners = await Promise.all(
      Array.from({ length: 24 }, async () => openSession(world.as(await make.person()), item.id)),
    );
    const greeted = Promise.all(learners.map((learner) => learner.say("Start.")));
    await expect.poll(() => world.llm.requests.length).toBe(1);
    const isListening = async () =>
      (await Promise.all(learners.map((one) => one.read()))).every(({ answering }) => answering);
    await expect.poll(isListening).toBe(true);
    release();
    for (const { status } of await greeted) expect(status).toBe(200);
    await (await openSession(world.as(await make.person()), item.id)).say("Start.");
    world.llm.script({ chunks: ["Well."], input_tokens: 10, output_tokens: 2 });
    await (await openSession(world.as(await make.person()), another.id)).say("Why?");

    const figures = {
      calls: 1,
      hits: 1,
      joined: 23,
      calls_saved: 24,
      input_tokens: 1000,
      output_tokens: 100,
      cost_micros: 4500,
      calls_without_price: 0,
      cost_saved_micros: 24 * 4500,
    };
    const own = (await admin.get(`/admin/analytics/tutor?${period()}`)).body;
    expect(own).toMatchObject({
      ...figures,
      per_course_breakdown: [{ course_id: course.id, code: course.code, ...figures }],
    });
    expect(own.daily).toHaveLength(3);
    expect(own.daily[1]).toMatchObject(figures);
    expect(own.daily[0]).toMatchObject({ calls: 0, calls_saved: 0, cost_micros: 0 });

    const all = (await platform.get(`/admin/analytics/tutor?${period()}`)).body;
    expect(all).toMatchObject({ calls: 2, calls_saved: 24, cost_micros: 4560 });
    expect(all.per_course_breakdown).toHaveLength(2);
    const narrowed = await platform.get(
      `/admin/analytics/tutor?${period()}&university_id=${elsewhere.university_id}`,
    );
    expect(narrowed.body).toMatchObject({ calls: 1, calls_saved: 0, cost_micros: 60 });
    expect((await other.get(`/admin/analytics/tutor?${period()}`)).body).toMatchObject({ calls: 1 });
    expect((await platform.get("/admin/analytics/cache")).body).toMatchObject({ total_hits_served: 24 });

    const csv = await admin.get(`/admin/analytics/tutor?${period()}&format=csv`);
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(csv.text).toContain("calls_saved,,24\r\n");
    expect(csv.text).toContain(`per_course_breakdown.calls,${course.id},1\r\n`);
  });
});

describe("the tutor's report", () => {
  it("is for administrators of the platform, and of the university that it is about", async () => {
    const { course } = await make.topic();
    const { course: elsewhere } = await make.topic();
    const admin = world.as(await make.holder("university_admin", course.university_id));
    const teacher = world.as(await make.holder("instructor", course.university_id));
    const path = "/admin/analytics/tutor";
    expect((await teacher.get(path)).status).toBe(403);
    expect((await world.as().get(path)).status).toBe(401);
    expect((await admin.get(`${path}?university_id=${elsewhere.university_id}`)).status).toBe(403);
    expect((await admin.get(`${path}?course_id=${elsewhere.id}`)).body).toMatchObject({
      calls: 0,
      cost_saved_micros: null,
      per_course_breakdown: [],
    });
  });
});

describe("an answer whose usage the provider does not report", () => {
  it("has its usage and cost estimated, and the report counts it as estimated", async () => {
    const { item, course } = await make.topic();
    const admin = world.as(await make.holder("university_admin", course.university_id));
    world.llm.script(
      { chunks: ["Hello."], input_tokens: 0, output_tokens: 0 },
      { chunks: ["Well."], input_tokens: 10, output_tokens: 2 },
    );
    for (const content of ["Start.", "Why?"])
      await (await openSession(world.as(await make.person()), item.id)).say(content);
    const report = (await admin.get(`/admin/analytics/tutor?${period()}`)).body;
    expect(report).toMatchObject({ calls: 2, calls_estimated: 1, calls_without_price: 0 });
    expect(report.input_tokens).toBeGreaterThan(10);
    expect(report.cost_micros).toBeGreaterThan(60);
  });
});
