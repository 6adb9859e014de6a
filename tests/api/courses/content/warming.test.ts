import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withScheduleDb } from "../../../../lib/deps.ts";
import { leaseNextWarmingQuery } from "../../../../lib/tutor/warming/lease.ts";
import { processWarmings } from "../../../../lib/tutor/warming/work.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, hold, keepLeases, openSession, textOf } from "../../tutor/chat/support.ts";

const world = openWorld({
  LLM_PRICES: '{"model-of-the-tests": {"input": 3, "output": 15}}',
  TUTOR_TOKENS_PER_MONTH: "1000000",
});
const make = makersOf(world);
keepLeases(world);

beforeEach(async () => {
  await world.deps.db.execute(sql`delete from warmings`);
});
afterEach(() => world.llm.reset());

const rowsOf = async (statement: ReturnType<typeof sql>) => (await world.deps.db.execute(statement)).rows;
const violations = () => rowsOf(sql.raw(treeViolationsQuery));
const calls = () => world.llm.requests.length;

const asking = (words: string, questionId = "q1") =>
  `${words}\n\`\`\`mcq\n${JSON.stringify({
    questionId,
    question: "Which?",
    options: [
      { id: "A", text: "First" },
      { id: "B", text: "Second" },
      { id: "C", text: "Third" },
    ],
  })}\n\`\`\``;

/** Runs the scheduled job until nothing is left. */
const work = (signal = new AbortController().signal) => processWarmings(withScheduleDb(world.deps), signal);

/**
 * A topic that a class of four took: `Start.`, then A by three and B by one. An edit of its text then
 * invalidated the cache.
 */
async function taughtTopic() {
  const made = await make.topic();
  const instructor = world.as(await make.holder("instructor", made.university.id));
  const learner = async (item = made.item.id) => openSession(world.as(await make.person()), item);
  world.llm.script({ chunks: [asking("Welcome.")] }, { chunks: ["Below A."] }, { chunks: ["Below B."] });
  for (const answer of ["A", "B", "A", "A"]) {
    const one = await learner();
    await one.say("Start.");
    await one.say(answerTo("q1", answer === "B" ? "B" : "A"));
  }
  world.llm.reset();
  await instructor.put(`/content/${made.item.id}`, { description: "In other words" });
  const path = `/content/${made.item.id}/warm`;
  const warm = (body: object = { most_nodes: 10 }) => instructor.post(path, body);
  const report = async () => (await instructor.get(path)).body;
  const warmed = async (item = made.item.id) =>
    (await instructor.get(`/chat/topics/${item}/tree`)).body.nodes.filter(
      (node: { warmed: boolean }) => node.warmed,
    );
  return { ...made, instructor, learner, path, warm, report, warmed };
}

const first = { chunks: [asking("Hello.")] };

describe("warming a topic", () => {
  it("makes the answers at which three visits or more are expected, for no person, and the class pays for none of them", async () => {
    const { warm, report, warmed, learner, item, university } = await taughtTopic();
    const begun = await warm();
    expect(begun.status).toBe(202);
    expect(begun.body).toMatchObject({
      content_item_id: item.id,
      state: "WAITING",
      estimate: { calls: 2, cost_micros: expect.any(Number) },
      nodes: { planned: 2, waiting: 2, made: 0 },
    });
    world.llm.script(first, { chunks: ["Right."], input_tokens: 0, output_tokens: 0 });
    expect(await work()).toMatchObject({ warmed: 1 });
    expect(calls()).toBe(2);
    const ended = await report();
    expect(ended).toMatchObject({
      state: "DONE",
      nodes: { waiting: 0, made: 2, found: 0 },
      calls: 2,
      calls_estimated: 1,
    });
    const [spent] = await rowsOf(sql`
      select count(*)::int as calls, sum(cost_micros)::int as cost, count(user_id)::int as people
      from llm_calls where content_item_id = ${item.id} and purpose = 'warm' and outcome = 'complete'`);
    expect(spent).toEqual({ calls: 2, cost: ended.cost_micros, people: 0 });
    const nodes = await warmed();
    expect(
      nodes.map(({ message, visits, hits, is_live }: Record<string, unknown>) => [
        message,
        visits,
        hits,
        is_live,
      ]),
    ).toEqual([
      ["Start.", 0, 0, true],
      ['{"answer":"A","questionId":"q1"}', 0, 0, true],
    ]);
    const one = await learner();
    expect(textOf(await one.say("Start."))).toBe(asking("Hello."));
    expect(textOf(await one.say(answerTo("q1", "A")))).toBe("Right.");
    expect(await one.lastMeta()).toMatchObject({ source: "cache" });
    expect(calls()).toBe(2);
    const [month] = await rowsOf(
      sql`select tokens::int as tokens from tutor_months where university_id = ${university.id}`,
    );
    const [used] = await rowsOf(sql`
      select sum(input_tokens + output_tokens)::int as tokens from llm_calls where university_id = ${university.id}`);
    expect(month).toEqual(used);
    expect(await violations()).toEqual([]);
  });

  it("sends the LLM the requests that learners' messages would cause", async () => {
    const { warm, learner } = await taughtTopic();
    await warm({ most_nodes: 1 });
    world.llm.script(first);
    await work();
    const [sent] = world.llm.requests;
    await rowsOf(sql`delete from cache_nodes where warmed`);
    await (await learner()).say("Start.");
    expect(world.llm.requests[1]).toEqual(sent);
  });

  it("generates only the requested number, continues with the next ones, and then has nothing left", async () => {
    const { warm, report } = await taughtTopic();
    world.llm.script(first, { chunks: ["Right."] });
    for (const planned of [1, 1, 0]) {
      expect((await warm({ most_nodes: 1 })).body.nodes.planned).toBe(planned);
      await work();
      expect(await report()).toMatchObject({ state: "DONE", nodes: { planned, made: planned } });
    }
    expect(calls()).toBe(2);
  });

  it("omits options that the new answer does not offer, and reports cut-off answers", async () => {
    const { warm, report } = await taughtTopic();
    await warm();
    world.llm.script({ chunks: [asking("Hello.", "another")] });
    await work();
    expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 1, left_out: 1 } });
    const other = await taughtTopic();
    await other.warm();
    world.llm.script({ chunks: ["Half"], stop_reason: "max_tokens" });
    await work();
    expect(await other.report()).toMatchObject({ state: "DONE", nodes: { made: 0, failed: 1, left_out: 1 } });
  });

  it("warms a version before its label moves, which finds the answers then", async () => {
    const { warm, warmed, learner, university } = await taughtTopic();
    const platform = world.as(await make.holder("platform_admin", university.id));
    const made = await platform.post("/prompts", { name: "tutor", prompt: "Teach {{title}} by asking." });
    const { version } = made.body;
    const begun = await warm({ version, most_nodes: 1 });
    expect(begun.body).toMatchObject({ prompt_name: "tutor", prompt_version: version });
    world.llm.script(first);
    await work();
    expect(world.llm.requests[0]?.system).toContain("by asking.");
    expect((await warmed()).map(({ is_live }: { is_live: boolean }) => is_live)).toEqual([false]);
    const label = (labels: string[], one: number) =>
      platform.patch(`/prompts/tutor/versions/${one}/labels`, { labels });
    const [before] =
      await rowsOf(sql`select version from prompts join prompt_labels as label on label.prompt_id = prompts.id
      where label.name = 'tutor' and label.label = 'production'`);
    expect((await label(["production"], version)).status).toBe(200);
    const told = textOf(await (await learner()).say("Start."));
    await label(["production"], Number(before?.["version"]));
    expect(told).toBe(asking("Hello."));
    expect(calls()).toBe(1);
  });

  it("reuses the original's answers in a copied course without a call, and generates the rest by its visits", async () => {
    const { course, university, item, warmed } = await taughtTopic();
    const admin = world.as(await make.holder("university_admin", university.id));
    expect((await admin.post(`/courses/${course.id}/copy`, {})).status).toBe(201);
    const [copy] = (await rowsOf(sql`select id from content_items where origin_item_id = ${item.id}`)) as {
      id: number;
    }[];
    const path = `/content/${copy?.id}/warm`;
    expect((await admin.post(path, { most_nodes: 5 })).body.nodes.planned).toBe(2);
    world.llm.script(first, { chunks: ["Right."] });
    await work();
    expect((await admin.get(path)).body).toMatchObject({ state: "DONE", nodes: { made: 2 } });
    expect(await warmed(copy?.id)).toHaveLength(2);
    // The original with its current text was already answered.
    await (await openSession(world.as(await make.person()), item.id)).say("Start.");
    expect((await admin.post(`/courses/${course.id}/copy`, {})).status).toBe(201);
    const [next] = (await rowsOf(
      sql`select id from content_items where origin_item_id = ${item.id} order by id desc limit 1`,
    )) as { id: number }[];
    await admin.post(`/content/${next?.id}/warm`, { most_nodes: 1 });
    const before = calls();
    await work();
    expect(calls()).toBe(before);
    expect((await admin.get(`/content/${next?.id}/warm`)).body).toMatchObject({
      nodes: { made: 0, found: 1 },
    });
  });

  it("stores pending answers if answers are reviewed", async () => {
    const { warm, warmed, instructor, item } = await taughtTopic();
    await instructor.put(`/content/${item.id}`, { tutor_mode: "REVIEWED" });
    await warm();
    world.llm.script(first, { chunks: ["Right."] });
    await work();
    expect((await warmed()).map(({ is_waiting }: { is_waiting: boolean }) => is_waiting)).toEqual([
      true,
      true,
    ]);
    expect(await violations()).toEqual([]);
  });
});

describe("a class of twenty that begins while its topic is being warmed", () => {
  it("joins running generations: no answer is generated twice", async () => {
    const { warm, report, learner, warmed } = await taughtTopic();
    const learners = await Promise.all(Array.from({ length: 20 }, () => learner()));
    await warm();
    const { held, release } = hold();
    world.llm.script({ chunks: [held, asking("Hello.")] }, { chunks: ["Right."] });
    const working = work();
    await expect.poll(calls).toBe(1);
    const told = learners.map((one) => one.say("Start."));
    await expect
      .poll(
        async () =>
          (await rowsOf(sql`select id from chat_sessions where answering_generation_id is not null`)).length,
      )
      .toBe(20);
    release();
    for (const one of await Promise.all(told)) expect(textOf(one)).toBe(asking("Hello."));
    const below = await Promise.all(learners.map((one) => one.say(answerTo("q1", "A"))));
    for (const one of below) expect(textOf(one)).toBe("Right.");
    await working;
    expect(calls()).toBe(2);
    expect(await report()).toMatchObject({ state: "DONE", nodes: { waiting: 0 } });
    const [root] = await warmed();
    expect(root).toMatchObject({ message: "Start.", visits: 20, hits: 0 });
    expect(await violations()).toEqual([]);
  });

  it("joins the class's generations if the class was first", async () => {
    const { warm, report, learner } = await taughtTopic();
    await warm({ most_nodes: 1 });
    const { held, release } = hold();
    world.llm.script({ chunks: ["Made by ", held, "a learner."] });
    const told = (await learner()).say("Start.");
    await expect.poll(calls).toBe(1);
    const working = work();
    release();
    expect(textOf(await told)).toBe("Made by a learner.");
    await working;
    expect(calls()).toBe(1);
    expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 0, found: 1 }, calls: 0 });
  });
});

describe("a warming ends", () => {
  it("when the university's budget is used up, and continues after another request", async () => {
    const { warm, report, university } = await taughtTopic();
    const admin = world.as(await make.holder("university_admin", university.id));
    const limits = (tokens_per_month: number | null) =>
      admin.put(`/universities/${university.id}/tutor-budget`, {
        turns_per_day: null,
        turns_at_once: null,
        tokens_per_month,
      });
    expect((await limits(1)).status).toBe(200);
    await warm();
    await work();
    expect(await report()).toMatchObject({
      state: "STOPPED",
      stop_reason: "BUDGET",
      nodes: { waiting: 2 },
      calls: 0,
    });
    expect(await rowsOf(sql`select from generations where state = 'writing'`)).toEqual([]);
    await limits(null);
    await warm();
    world.llm.script(first, { chunks: ["Right."] });
    await work();
    expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 2 } });
  });

  it("when the LLM fails twice at an answer", async () => {
    const { warm, report } = await taughtTopic();
    await warm();
    world.llm.script({ chunks: ["Half"], failure: "error event", times: 2 });
    await work();
    expect(await report()).toMatchObject({
      state: "STOPPED",
      stop_reason: "LLM",
      nodes: { waiting: 2 },
      calls: 2,
    });
    expect(await violations()).toEqual([]);
  });

  it("when the item has changed before the work begins", async () => {
    const { warm, report, instructor, item } = await taughtTopic();
    await warm();
    await instructor.put(`/content/${item.id}`, { description: "Once more in other words" });
    await work();
    expect(await report()).toMatchObject({ state: "STOPPED", stop_reason: "CHANGED", calls: 0 });
  });
});

describe("a process that dies while it warms", () => {
  /** As after a kill: the leases of the warming and of the generation expire. */
  const lapse = async () => {
    await rowsOf(sql`update warmings set lease_until = now() - interval '1 second'`);
    await rowsOf(
      sql`update generations set lease_until = now() - interval '1 second' where state = 'writing'`,
    );
  };

  it("is followed by another that generates the rest, each answer once, and counts each cost once", async () => {
    const { warm, report, item, university } = await taughtTopic();
    await warm();
    await rowsOf(leaseNextWarmingQuery("00000000-0000-4000-8000-000000000001"));
    const claim = sql`
      select outcome from claim_generation_of_warming_node((select min(id) from warming_nodes), '00000000-0000-4000-8000-000000000001',
        '00000000-0000-4000-8000-00000000000a', 120, '{"reserve": 500, "tokens_per_month": 1000000}')`;
    expect(await rowsOf(claim)).toEqual([{ outcome: "to make" }]);
    expect(await work()).toMatchObject({ warmed: 0, nextDue: expect.any(Date) });
    await lapse();
    world.llm.script(first, { chunks: ["Right."] });
    await work();
    expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 2 }, calls: 3 });
    expect(
      await rowsOf(sql`select outcome, cost_micros is null as is_free from llm_calls
        where content_item_id = ${item.id} and purpose = 'warm' order by id`),
    ).toEqual([
      { outcome: "lost", is_free: true },
      { outcome: "complete", is_free: false },
      { outcome: "complete", is_free: false },
    ]);
    const [month] = await rowsOf(
      sql`select tokens::int as tokens from tutor_months where university_id = ${university.id}`,
    );
    const [used] = await rowsOf(sql`
      select sum(input_tokens + output_tokens)::int as tokens from llm_calls where university_id = ${university.id}`);
    expect(month).toEqual(used);
  });

  it("between storing and announcing an answer has still generated it", async () => {
    const { warm, report } = await taughtTopic();
    await warm();
    world.llm.script(first, { chunks: ["Right."] });
    await work();
    await rowsOf(sql`update warmings set state = 'running', lease_until = now() - interval '1 second'`);
    await rowsOf(sql`update warming_nodes set state = 'waiting'`);
    await work();
    expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 2, found: 0 }, calls: 2 });
    expect(calls()).toBe(2);
  });

  it("writes nothing after another process has the lease, and stops during its work when aborted", async () => {
    const { warm, report } = await taughtTopic();
    await warm();
    const stop = new AbortController();
    const { held, release } = hold();
    world.llm.script({ chunks: ["Half ", held] }, first, { chunks: ["Right."] });
    const working = work(stop.signal);
    await expect.poll(calls).toBe(1);
    stop.abort();
    await working;
    release();
    expect(await report()).toMatchObject({ state: "RUNNING", nodes: { waiting: 2 } });
    await lapse();
    await Promise.all([work(), work()]);
    expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 2 } });
    expect(calls()).toBe(3);
    expect(await violations()).toEqual([]);
  });
});

describe("asking for a warming", () => {
  it("is for authors of the course's content, for an item that shares answers, and once at a time", async () => {
    const { path, warm, university, course, instructor } = await taughtTopic();
    const ta = world.as(await make.holder("ta", university.id));
    const body = { most_nodes: 5 };
    expect((await ta.get(path)).status).toBe(404);
    expect((await ta.post(path, body)).status).toBe(403);
    expect((await world.as(await make.person()).post(path, body)).status).toBe(404);
    const elsewhere = world.as(await make.holder("instructor", (await make.university()).id));
    expect((await elsewhere.post(path, body)).status).toBe(404);
    expect((await elsewhere.get(path)).status).toBe(404);
    for (const bad of [
      {},
      { most_nodes: 0 },
      { most_nodes: 1001 },
      { most_nodes: 1.5 },
      { most_nodes: 3, version: 0 },
    ])
      expect((await instructor.post(path, bad)).status, JSON.stringify(bad)).toBe(422);
    expect((await warm({ most_nodes: 5, version: 1_000_000 })).status).toBe(404);
    const begun = await Promise.all([warm(), warm(), warm()]);
    expect(begun.map(({ status }) => status).sort()).toEqual([202, 400, 400]);
    expect((await ta.get(path)).body).toMatchObject({ state: "WAITING" });
    const other = await taughtTopic();
    await rowsOf(sql`update courses set cache_enabled = false where id = ${other.course.id}`);
    expect((await other.warm()).status).toBe(400);
    expect(course.id).not.toBe(other.course.id);
  });
});
