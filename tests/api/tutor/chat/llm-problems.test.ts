import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { cacheNodes } from "../../../../schema/db/tutor/cache.ts";
import { checkLlmProblems } from "../../../../scripts/ops/doctor/llm-problems.ts";
import { makersOf } from "../../../support/makers.ts";
import { sampleOf } from "../../../support/samples.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

afterEach(() => world.llm.reset());

async function learner(language = "en") {
  const { item, course } = await make.topic();
  await world.deps.db.execute(sql`update courses set language_code = ${language} where id = ${course.id}`);
  const session = await openSession(world.as(await make.person()), item.id);
  const nodes = () => world.deps.db.select().from(cacheNodes).where(eq(cacheNodes.content_item_id, item.id));
  return { session, nodes };
}

const alerts = () => world.log.filter(({ alert }) => alert !== undefined);

describe("a problem of the LLM that lasts", () => {
  it.each([
    ["credentials", { status: 401, error: { type: "authentication_error" } }],
    ["credit", { status: 402, error: { type: "billing_error" } }],
    ["model", { status: 404, error: { type: "not_found_error" } }],
    ["prompt_too_long", { status: 413, error: { type: "request_too_large" } }],
  ])(
    "(%s) is asked once, answers 503 without Retry-After, and alerts once an hour",
    async (problem, script) => {
      world.log.length = 0;
      for (let time = 0; time < 2; time += 1) {
        world.llm.reset();
        world.llm.script({ ...script, times: 5 });
        const { session } = await learner();
        const reply = await session.say("Start.");
        expect(reply.status).toBe(503);
        expect(reply.headers.get("retry-after")).toBeNull();
        expect(reply.headers.get("x-error-code")).toBe("tutor_out_of_service");
        expect(world.llm.requests).toHaveLength(1);
      }
      expect(alerts()).toMatchObject([{ alert: problem, level: "ERROR", remedy: expect.any(String) }]);
      const scraped = await (await world.app.request("/metrics")).text();
      expect(sampleOf(scraped, `llm_problems_total{problem="${problem}"}`)).toBe(2);
    },
  );

  it("shows in the doctor within its hour", async () => {
    expect(await checkLlmProblems(world.deps.db, world.deps.now())).toMatchObject(
      Array.from({ length: 4 }, () => ({ state: "wrong", todo: expect.any(String) })),
    );
    await world.deps.db.execute(sql`delete from rate_limits`);
    expect(await checkLlmProblems(world.deps.db, world.deps.now())).toMatchObject([{ state: "ok" }]);
  });

  it("of another kind is asked once as well, and alerts nobody", async () => {
    world.log.length = 0;
    world.llm.script({ status: 400, error: { type: "invalid_request_error" }, times: 5 });
    const { session } = await learner();
    expect((await session.say("Start.")).status).toBe(503);
    expect(world.llm.requests).toHaveLength(1);
    expect(alerts()).toEqual([]);
  });
});

describe("a content filter", () => {
  it.each([
    ["that rejects the request", { status: 400, error: { type: "content_filter" } }],
    ["that lets nothing through", { chunks: [], stop_reason: "content_filter" }],
  ])("%s answers in the course's language, marked, and leaves no node", async (_, script) => {
    world.llm.script(script);
    const { session, nodes } = await learner("de");
    const reply = await session.say("Start.");
    expect(reply.status).toBe(200);
    expect(textOf(reply)).toMatch(/^Darauf kann ich nicht antworten/);
    expect(await session.lastMeta()).toMatchObject({ stop: "refusal" });
    expect(await nodes()).toEqual([]);
    expect(world.llm.requests).toHaveLength(1);
  });
});
