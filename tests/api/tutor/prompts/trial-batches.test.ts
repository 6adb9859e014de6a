import { type SQL, sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { processTrials } from "../../../../lib/tutor/trials/work.ts";
import type { BatchReply, SendingFault } from "../../../support/anthropic-batches.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";
import { killAtEach, stepsTo } from "./killed-steps.ts";
import { asking, prices, taught, trialsOf } from "./trials.ts";

const judge = "judge-of-the-tests";
const world = openWorld({
  LLM_BATCHES: "true",
  JUDGE_MODEL: judge,
  LLM_PRICES: JSON.stringify({ ...prices, [judge]: { input: 1, output: 5, batch: 0.25 } }),
});
const { classWithTree, newVersion, work, started } = trialsOf(world);

const limit_micros = 10_000_000;
const text = asking("As a batch.")[0] as string;
/** The cost of a call with a hundred input and twenty output tokens; a batch costs half. */
const atOnce = 100 * 3 + 20 * 15;

type Class = Awaited<ReturnType<typeof classWithTree>>;
let shared: Promise<Class> | undefined;

beforeEach(async () => {
  shared ??= classWithTree();
  await shared;
  await world.deps.db.execute(sql`delete from trials`);
  world.llm.reset();
  world.llm.batches.reply(() => ({ text }));
});

/** A running trial on the three places of the class's tree. */
async function trial(input: object = {}) {
  const { item, author } = await (shared as Promise<Class>);
  return started(author, taught, { against: taught, content_item_ids: [item.id], limit_micros, ...input });
}

/** Expires everything that waits, such as the lease of a dead process. */
const pass = () =>
  world.deps.db.execute(sql`
    update llm_batches set leased_until = clock_timestamp() - interval '1 second' where leased_until is not null`);
const lapse = () => world.deps.db.execute(sql`update trial_cases set leased_until = null`);

/** On a busy machine a round may end before its step. */
async function workUntil(state: SQL): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    const { rowCount } = await world.deps.db.execute(sql`select from llm_batches where ${state}`);
    if (rowCount) return;
    await pass();
    await work();
  }
  throw new Error(`No batch has this state after eight rounds. Log: ${JSON.stringify(world.log.slice(-5))}`);
}

/** Backdates a batch. */
async function age(hours: number): Promise<void> {
  const sent = sql`sent_at is not null`;
  await workUntil(sent);
  await world.deps.db.execute(
    sql`update llm_batches set sent_at = sent_at - make_interval(hours => ${hours}::int) where ${sent}`,
  );
}

async function workAll(most = 8): Promise<void> {
  for (let round = 0; round < most; round += 1) {
    await pass();
    await lapse();
    const { cases, nextDue } = await work();
    if (cases === 0 && !nextDue) return;
  }
}

const calls = async (trial: { made: { id: number } }) => {
  const { rows } = await world.deps.db.execute(sql`
    select outcome, is_batch, cost_micros::int as cost from llm_calls
    where id in (select call_id from trial_cases where trial_id = ${trial.made.id}) order by id`);
  return rows;
};

it("a trial's calls are a batch, at batch prices, each with the version's text", async () => {
  const { item, author } = await (shared as Promise<Class>);
  const version = await newVersion(author, "As one of many, teach {{title}}.");
  const input = { against: taught, content_item_ids: [item.id], limit_micros };
  const slow = await started(author, version, input);
  const atOnceMade = await author.post(`/prompts/tutor/versions/${version}/trials`, {
    ...input,
    at_once: true,
  });
  expect(slow.made.estimate).toMatchObject({ calls: 3, by_batch: true, most_hours: 24 });
  expect(atOnceMade.body.estimate).toMatchObject({ calls: 3, by_batch: false, most_hours: null });
  expect(slow.made.estimate.cost_micros * 2).toBeCloseTo(atOnceMade.body.estimate.cost_micros, -1);

  expect(await work()).toMatchObject({ cases: 0, nextDue: expect.any(Date) });

  expect((await slow.report()).body).toMatchObject({
    state: "RUNNING",
    cases: { running: 3 },
    batch: { requests: 3, sent_at: expect.any(String), due_at: expect.any(String) },
  });
  expect(await work(), "it is looked at later").toMatchObject({ cases: 0 });
  await workAll();
  expect(world.llm.requests, "nothing was asked at once").toEqual([]);
  const [batch, ...more] = world.llm.batches.all;
  expect(more).toEqual([]);
  expect(batch?.requests.map(({ params }) => params.system)).toEqual(
    Array(3).fill(`As one of many, teach "${item.title}".`),
  );
  expect((await slow.report()).body).toMatchObject({
    state: "FINISHED",
    batch: null,
    cases: { answered: 3 },
    cost: { spent_micros: (3 * atOnce) / 2, reserved_micros: 0, lost_micros: 0 },
    all_passed: { candidate: { passed: 3, of: 3 } },
  });
  expect(await calls(slow)).toEqual(Array(3).fill({ outcome: "complete", is_batch: true, cost: atOnce / 2 }));
  expect((await slow.cases()).body[0].candidate).toMatchObject({
    cost_micros: atOnce / 2,
    output_tokens: 20,
  });
});

it("the judge's calls are separate batches, at their own price", async () => {
  world.llm.batches.reply(({ model }, number) => ({
    text: model === judge ? '{"better": "A", "criteria": {}}' : (asking(`Answer ${number}.`)[0] as string),
  }));
  const judged = await trial({ judge: true });
  expect(judged.made.estimate).toMatchObject({ calls: 9, most_hours: 72 });
  await workAll();
  expect(world.llm.batches.all.map(({ requests }) => requests.map(({ params }) => params.model))).toEqual([
    Array(3).fill("model-of-the-tests"),
    Array(3).fill(judge),
    Array(3).fill(judge),
  ]);
  // The judge prefers the first answer, which makes a tie.
  expect((await judged.report()).body).toMatchObject({
    state: "FINISHED",
    judgement: { pairs: { won: 0, tied: 3, lost: 0 }, spent_micros: (6 * (100 + 20 * 5)) / 4 },
    cost: { spent_micros: (3 * atOnce) / 2 + 300 },
  });
});

it("conversations are called immediately, and so is a trial with at_once", async () => {
  const talk = await trial({ kind: "FREE", most_nodes: 1 });
  const hasty = await trial({ at_once: true });
  for (const one of [talk, hasty]) expect(one.made.estimate).toMatchObject({ by_batch: false });
  await workAll();
  expect(world.llm.batches.all).toEqual([]);
  for (const one of [talk, hasty]) expect((await one.report()).body.state).toBe("FINISHED");
});

it("cases outside of a batch fit no limit, and are not sent", async () => {
  const { author } = await (shared as Promise<Class>);
  const version = await newVersion(author, "Short.", { max_tokens: 100 });
  const { item } = await (shared as Promise<Class>);
  const small = await started(author, version, {
    ...{ against: taught, content_item_ids: [item.id], limit_micros: 1800 },
  });
  await workAll();
  const { body } = await small.report();
  expect(body.not_sent).toEqual([{ reason: "LIMIT", cases: body.cases.skipped }]);
  expect(body.cases.skipped).toBeGreaterThan(0);
  expect(world.llm.batches.all[0]?.requests).toHaveLength(body.cases.answered);
  expect(body.cost.spent_micros).toBeLessThanOrEqual(1800);
});

/** A batch's failure, and its result: how many cases it answered, and how many calls count as lost. */
type Fault = {
  sending?: SendingFault;
  reply?: (number: number) => BatchReply;
  change?: (lines: { custom_id: string; result: object }[]) => { custom_id: string; result: object }[];
  meanwhile?: () => unknown;
  byBatch: number;
  isLost?: boolean;
  failed?: number;
};

const faults: Record<string, Fault> = {
  "is sent, and nobody is told so": { sending: "answer lost", byBatch: 3 },
  "never arrives": { sending: "not arrived", meanwhile: () => age(1), byBatch: 3 },
  "is refused": { sending: 400, byBatch: 0 },
  "finds an overloaded provider": { sending: 529, meanwhile: () => age(1), byBatch: 3 },
  "is answered twice": { change: (lines) => [...lines, ...lines], byBatch: 3 },
  "is answered in another order": { change: (lines) => lines.toReversed(), byBatch: 3 },
  "is answered in part": { change: (lines) => lines.slice(1), byBatch: 2, isLost: true },
  "has answers to what nobody asked": {
    change: (lines) => [{ ...(lines[0] as (typeof lines)[0]), custom_id: "other-1" }, ...lines],
    byBatch: 3,
  },
  "is forgotten by the provider": {
    meanwhile: async () => {
      await workUntil(sql`state = 'sent'`);
      for (const one of world.llm.batches.all) one.isForgotten = true;
    },
    byBatch: 0,
    isLost: true,
  },
  "has requests that expire": { reply: (number) => (number === 1 ? "expired" : { text }), byBatch: 2 },
  "has requests that fail": {
    reply: (number) => (number === 1 ? { errored: "overloaded_error" } : { text }),
    byBatch: 2,
  },
  "has requests that are refused for good": {
    reply: (number) => (number === 1 ? { errored: "invalid_request_error" } : { text }),
    byBatch: 2,
    failed: 1,
  },
  "is answered after its day, before it is given up": {
    meanwhile: async () => {
      world.llm.batches.hold(true);
      await age(25);
      await pass();
      await work();
      world.llm.batches.hold(false);
    },
    byBatch: 3,
  },
  "is answered after it was given up": {
    meanwhile: async () => {
      world.llm.batches.hold(true);
      await age(27);
      await workUntil(sql`state = 'lost'`);
      world.llm.batches.hold(false);
    },
    byBatch: 0,
    isLost: true,
  },
};

it.each(Object.entries(faults))("a batch that %s ends with each case once", async (_, fault) => {
  const { sending, reply, change, meanwhile, byBatch, isLost = false, failed = 0 } = fault;
  world.llm.improvise(() => ({ chunks: asking("At once."), input_tokens: 100, output_tokens: 20 }));
  if (reply) world.llm.batches.reply((_, number) => reply(number));
  if (sending) world.llm.batches.fault(sending);
  if (change) world.llm.batches.changeResults(change);
  const one = await trial();
  await work();
  await meanwhile?.();
  await workAll();
  const { body } = await one.report();
  expect(body).toMatchObject({
    state: "FINISHED",
    batch: null,
    cases: { answered: 3 - failed, failed, waiting: 0, running: 0, skipped: 0 },
  });
  expect(body.cost.reserved_micros).toBe(0);
  expect(body.cost.spent_micros).toBe((byBatch * atOnce) / 2 + (3 - byBatch - failed) * atOnce);
  expect(body.cost.lost_micros > 0, "what nobody knows stays counted").toBe(isLost);
  expect(world.llm.requests).toHaveLength(3 - byBatch - failed);
  const { rows } = await world.deps.db.execute(sql`
    select count(*)::int as open from llm_calls where outcome = 'started'`);
  expect(rows).toEqual([{ open: 0 }]);
});

it("a stopped trial cancels its batch, and keeps earlier answers", async () => {
  world.llm.batches.hold(true);
  const one = await trial();
  await work();
  expect((await one.stop()).body.state).toBe("STOPPED");
  await work();
  expect(world.llm.batches.all[0]?.state).toBe("canceling");
  world.llm.batches.hold(false);
  world.llm.batches.reply((_, number) => (number === 1 ? { text } : "canceled"));
  await workAll();
  expect((await one.report()).body).toMatchObject({
    state: "STOPPED",
    cases: { skipped: 2, answered: 1, running: 0 },
    not_sent: [{ reason: "STOPPED", cases: 2 }],
    cost: { spent_micros: atOnce / 2, reserved_micros: 0, lost_micros: 0 },
  });
  expect(world.llm.requests, "nothing is asked at once").toEqual([]);
});

it("a change of provider leaves no case behind", async () => {
  world.llm.improvise(() => ({ chunks: asking("At once."), input_tokens: 100, output_tokens: 20 }));
  const one = await trial();
  await work();
  await pass();
  const { batches: _, ...llm } = world.deps.llm;
  await processTrials({ ...world.deps, llm }, noDeadline());
  await processTrials({ ...world.deps, llm }, noDeadline());
  expect((await one.report()).body).toMatchObject({ state: "FINISHED", cases: { answered: 3 } });
});

it("a process that is killed at any step of a batch leaves each case answered once, and its cost counted once", async () => {
  world.llm.improvise(() => ({ chunks: asking("At once."), input_tokens: 100, output_tokens: 20 }));
  await killAtEach(world, stepsTo(14), async (db, place) => {
    const before = world.llm.batches.all.length;
    const one = await trial();
    for (let round = 0; round < 3; round += 1) {
      await processTrials({ ...world.deps, db }, noDeadline()).catch(() => {});
      await pass();
    }
    // Batches that were never sent are detected later.
    await age(1);
    await workAll();
    const { body } = await one.report();
    expect(body, place).toMatchObject({
      state: "FINISHED",
      cases: { answered: 3, waiting: 0, running: 0, failed: 0, skipped: 0 },
      cost: { reserved_micros: 0, lost_micros: 0 },
    });
    const made = await calls(one);
    expect(made, place).toHaveLength(3);
    expect(body.cost.spent_micros, place).toBe(made.reduce((sum, { cost }) => sum + Number(cost), 0));
    expect(world.llm.batches.all.length - before, `${place}: it is sent once`).toBe(1);
    expect(
      made.every(({ is_batch }) => is_batch),
      `${place}: at a batch's price`,
    ).toBe(true);
  });
});

it("two concurrent processes send one batch, and end each case once", async () => {
  const one = await trial();
  await Promise.all([work(), work(), work()]);
  await pass();
  await Promise.all([work(), work(), work()]);
  await workAll();
  expect(world.llm.batches.all).toHaveLength(1);
  expect((await one.report()).body).toMatchObject({
    state: "FINISHED",
    cases: { answered: 3 },
    cost: { spent_micros: (3 * atOnce) / 2, lost_micros: 0 },
  });
});
