import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { withScheduleDb } from "../../../../lib/deps.ts";
import { processWarmings } from "../../../../lib/tutor/warming/work.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, hold, keepLeases, openSession, textOf } from "../../tutor/chat/support.ts";
import { dyingAt } from "../../tutor/prompts/trials.ts";

const world = openWorld({
  LLM_BATCHES: "true",
  LLM_PRICES: '{"model-of-the-tests": {"input": 3, "output": 15}}',
});
const make = makersOf(world);
keepLeases(world);

const letters = [..."ABCDEFGHIJKL"];
const asking = (words: string) =>
  `${words}\n\`\`\`mcq\n${JSON.stringify({
    questionId: "q1",
    question: "Which?",
    options: letters.map((id) => ({ id, text: `Option ${id}` })),
  })}\n\`\`\``;
/** The batch price of a call with a hundred input and twenty output tokens. */
const half = (100 * 3 + 20 * 15) / 2;

type Topic = Awaited<ReturnType<typeof taughtTopic>>;
let shared: Promise<Topic> | undefined;

/** A topic with a stored greeting and an answer to each of its twelve options. */
async function taughtTopic() {
  const made = await make.topic();
  const instructor = world.as(await make.holder("instructor", made.university.id));
  const learner = async () => openSession(world.as(await make.person()), made.item.id);
  world.llm.improvise(({ messages }) => ({
    chunks: messages.length === 1 ? [asking("Welcome.")] : ["Below."],
  }));
  for (const letter of letters) {
    const one = await learner();
    await one.say("Start.");
    await one.say(answerTo("q1", letter));
  }
  await world.deps.db.execute(
    sql`update cache_nodes set visit_count = 3 where content_item_id = ${made.item.id}`,
  );
  return { ...made, instructor, learner };
}

/** The cost of the last warming without batches. */
async function estimatedAtOnce() {
  const [found] = await rowsOf(sql`
    select (estimated_input_tokens * 3 + estimated_output_tokens * 15)::int as cost_micros from warmings order by id desc limit 1`);
  return found as { cost_micros: number };
}

let edition = 0;

/** The topic with a new text, so no stored answer matches, and its new warming. */
async function warming(body: object = {}) {
  const topic = await (shared as Promise<Topic>);
  edition += 1;
  await topic.instructor.put(`/content/${topic.item.id}`, { description: `In other words ${edition}` });
  world.llm.reset();
  world.llm.improvise(({ messages }) => ({
    chunks: messages.length === 1 ? [asking("Hello.")] : ["At once."],
    ...{ input_tokens: 100, output_tokens: 20 },
  }));
  const path = `/content/${topic.item.id}/warm`;
  const begun = await topic.instructor.post(path, { most_nodes: 20, ...body });
  if (begun.status !== 202) throw new Error(JSON.stringify(begun.body));
  const report = async () => (await topic.instructor.get(path)).body;
  return { ...topic, begun: begun.body, report };
}

beforeEach(async () => {
  shared ??= taughtTopic();
  await shared;
  await world.deps.db.execute(sql`delete from warmings`);
});

const rowsOf = async (statement: ReturnType<typeof sql>) => (await world.deps.db.execute(statement)).rows;
const work = (deps = withScheduleDb(world.deps)) => processWarmings(deps, noDeadline());
/** Makes all waiting work due. */
const pass = () =>
  rowsOf(sql`
  with batches as (update llm_batches set leased_until = clock_timestamp() - interval '1 second' where leased_until is not null)
  update warmings set lease_until = clock_timestamp() - interval '1 second' where lease_until is not null`);

async function workAll(most = 6): Promise<void> {
  // A round may only check on a batch.
  for (let round = 0, idle = 0; round < most && idle < 2; round += 1) {
    await pass();
    idle = (await work()).warmed === 0 ? idle + 1 : 0;
  }
}

/** Each node of the new tree has one answer. */
async function expectOneAnswerEach(count = 13) {
  expect(await rowsOf(sql.raw(treeViolationsQuery))).toEqual([]);
  const [nodes] = await rowsOf(sql`
    select count(*)::int as nodes, count(distinct (parent_id, message))::int as places from cache_nodes
    where content_fingerprint = (select content_fingerprint from warmings order by id desc limit 1)`);
  expect(nodes).toEqual({ nodes: count, places: count });
}

it("a large level is sent as a batch at batch prices, and a small one is generated immediately", async () => {
  const { begun, report, learner } = await warming();
  expect(begun).toMatchObject({ by_batch: true, nodes: { planned: 13 } });
  const atOnce = (await estimatedAtOnce()).cost_micros;
  expect(begun.estimate.cost_micros, "nearly all of it goes at half the price").toBeLessThan(0.6 * atOnce);
  expect(begun.estimate.cost_micros).toBeGreaterThan(0.5 * atOnce);
  await work();
  expect(world.llm.requests, "the greeting alone").toHaveLength(1);
  expect(world.llm.batches.all.map(({ requests }) => requests.length)).toEqual([12]);
  expect(await report()).toMatchObject({ state: "RUNNING", nodes: { made: 1, waiting: 12 } });
  expect(await work(), "it is looked at later").toMatchObject({ warmed: 0 });
  await workAll();
  expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 13, waiting: 0 }, calls: 13 });
  expect((await report()).cost_micros).toBe(2 * half + 12 * half);
  expect(world.llm.requests).toHaveLength(1);
  await expectOneAnswerEach();
  const one = await learner();
  await one.say("Start.");
  expect(textOf(await one.say(answerTo("q1", "C")))).toBe("As a batch.");
  expect(await one.lastMeta()).toMatchObject({ source: "cache" });
  expect(world.llm.requests, "nobody pays for it again").toHaveLength(1);
});

it("an author who will not wait gets all of them immediately", async () => {
  const { begun, report } = await warming({ at_once: true });
  expect(begun).toMatchObject({ by_batch: false });
  await work();
  expect(world.llm.batches.all).toEqual([]);
  expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 13 } });
});

it("a class that begins during a batch waits for nothing, and each node has one stored answer: the first", async () => {
  const { report, learner } = await warming();
  await work();
  const one = await learner();
  await one.say("Start.");
  expect(textOf(await one.say(answerTo("q1", "B")))).toBe("At once.");
  // Another learner's answer is streaming when the batch's result arrives.
  const { held, release } = hold();
  world.llm.script({ chunks: ["Just ", held, "now."] });
  const other = await learner();
  await other.say("Start.");
  const telling = other.say(answerTo("q1", "D"));
  await expect.poll(() => world.llm.requests.length).toBe(3);
  await pass();
  const working = work();
  await expect
    .poll(
      async () =>
        (await rowsOf(sql`select count(*)::int as open from warming_nodes where call_id is not null`))[0],
    )
    .toEqual({ open: 0 });
  release();
  expect(textOf(await telling)).toBe("Just now.");
  await working;
  await workAll();
  expect(await report()).toMatchObject({ state: "DONE", nodes: { made: 11, found: 2 } });
  await expectOneAnswerEach();
  expect(world.llm.requests, "no call is made twice at once").toHaveLength(3);
  const [spent] = await rowsOf(sql`
    select count(*)::int as calls, sum(cost_micros)::int as cost from llm_calls where is_batch and outcome = 'complete'
      and warming_id = (select max(id) from warmings)`);
  expect(spent, "what the batch has cost is counted, of use or not").toEqual({ calls: 12, cost: 12 * half });
});

it("after a batch that is lost, rejected or incomplete, the rest is generated immediately; an unsent one is sent again", async () => {
  for (const fault of ["lost", "refused", "in part", "not arrived"]) {
    const { report } = await warming();
    if (fault === "refused") world.llm.batches.fault(400);
    if (fault === "not arrived") world.llm.batches.fault("not arrived");
    if (fault === "in part")
      world.llm.batches.changeResults((lines) => [...lines.slice(4), ...lines.slice(4)]);
    await work();
    if (fault === "lost") for (const one of world.llm.batches.all) one.isForgotten = true;
    await rowsOf(
      sql`update llm_batches set sent_at = sent_at - interval '1 hour', leased_until = null where state = 'sending'`,
    );
    await workAll();
    expect(await report(), fault).toMatchObject({ state: "DONE", nodes: { made: 13, waiting: 0 } });
    const atOnce = { lost: 12, refused: 12, "in part": 4, "not arrived": 0 }[fault];
    expect(world.llm.requests, fault).toHaveLength(1 + (atOnce ?? 0));
    await expectOneAnswerEach();
    const [open] = await rowsOf(sql`select count(*)::int as open from llm_calls where outcome = 'started'`);
    expect(open, fault).toEqual({ open: 0 });
  }
});

it("a topic that changes during a batch abandons it", async () => {
  const { report, instructor, item } = await warming();
  world.llm.batches.hold(true);
  await work();
  await instructor.put(`/content/${item.id}`, { description: "Something else" });
  await workAll();
  expect(await report()).toMatchObject({ state: "STOPPED", stop_reason: "CHANGED" });
  expect(world.llm.batches.all[0]?.state).toBe("canceling");
  expect(
    await rowsOf(sql`select state from llm_batches where state in ('gathering', 'sending', 'sent')`),
  ).toEqual([]);
});

it("a process that is killed at any step leaves each node with one answer, and each batch sent once", async () => {
  for (const step of [5, 10, 14, 17]) {
    const { report } = await warming();
    const dying = withScheduleDb({
      ...world.deps,
      schedule: dyingAt(world, step, step % 2 ? "before" : "after"),
    });
    for (let round = 0; round < 2; round += 1) {
      await work(dying).catch(() => {});
      await pass();
      await rowsOf(sql`update generations set lease_until = clock_timestamp() - interval '1 second'`);
    }
    await rowsOf(sql`update llm_batches set sent_at = sent_at - interval '1 hour' where state = 'sending'`);
    await workAll();
    const { state, nodes } = await report();
    expect({ state, waiting: nodes.waiting, stored: nodes.made + nodes.found }, `statement ${step}`).toEqual({
      ...{ state: "DONE", waiting: 0, stored: 13 },
    });
    expect(world.llm.batches.all.length).toBeLessThanOrEqual(1);
    await expectOneAnswerEach();
  }
});
