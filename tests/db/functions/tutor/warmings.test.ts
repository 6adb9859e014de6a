import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import {
  leaseNextWarmingQuery,
  releaseOrEndWarmingQuery,
  renewWarmingLeaseQuery,
} from "../../../../lib/tutor/warming/lease.ts";
import { scheduleBatchCheckQuery } from "../../../../lib/tutor/warming/warm-batch.ts";
import { endWarmingNodeQuery } from "../../../../lib/tutor/warming/warm-node.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { openSession } from "../session.ts";
import { openConversations, otherProducer, producer, tutorVersion } from "./conversations.ts";

const session = openSession();
const { rows, column, value } = session;
const { claim, open, finish, storeNode } = openConversations(session);

const request = `'{"at": "2026-03-10T12:00:00Z", "id": "r"}'`;
const key = `select plain_fingerprint from prompts where name = 'tutor' and version = ${tutorVersion}`;
const token = "00000000-0000-4000-8000-0000000000aa";
const otherToken = "00000000-0000-4000-8000-0000000000ab";
const question = { questionId: "q1", question: "Which?", options: [{ id: "A", text: "First" }] };

/**
 * Item 1 has answers under the key "before": `Start.` to nine people, "a" to five, "b" to two, and "c" below
 * "a" to three.
 */
beforeEach(async () => {
  await rows("select setval(pg_get_serial_sequence('cache_nodes', 'id'), 1000)");
  await storeNode({ id: 1, choices: { a: "a", b: "b" } });
  await storeNode({ id: 2, parent: 1, message: "a", choices: { c: "c" } });
  await storeNode({ id: 3, parent: 1, message: "b" });
  await storeNode({ id: 4, parent: 2, message: "c" });
  await rows(`update cache_nodes set content_fingerprint = 'before', output_tokens = 10,
    visit_count = case id when 1 then 8 when 2 then 5 when 3 then 2 else 3 end`);
  await rows("insert into cache_visits (node_id, hit) values (1, true)");
});

const begin = (most = 10, leastOfBatch: number | null = null, item = 1, under = "taught") =>
  value(`select plan_and_begin_warming(${item}, (select id from prompts where name = 'tutor' and version = ${tutorVersion}), jsonb_build_object(
    'model', 'model', 'prompt_fingerprint', (${key}), 'content_fingerprint', '${under}'), ${most}, 100, 1, ${request}, ${leastOfBatch})`) as Promise<Record<
    string,
    unknown
  > | null>;

/** The plan of a warming that is begun and removed. */
async function plan(item = 1, under = "taught", most = 10) {
  await begin(most, null, item, under);
  const planned = await rows(
    "select path, level, expected_visits::int as expected from warming_nodes order by id",
  );
  await rows("delete from warmings");
  return planned;
}

const report = () => value("select report from warming_reports order by id desc limit 1");
const take = (by = token) => column(sql`with one as (${leaseNextWarmingQuery(by)}) select id from one`);
const idOf = (path: string[]) =>
  value(`select id::int from warming_nodes where path = '${JSON.stringify(path)}'`) as Promise<number>;

const claimNode = async (
  path: string[],
  { by = token, maker = producer, most = null as number | null } = {},
) =>
  (
    await rows(`select * from claim_generation_of_warming_node(${await idOf(path)}, '${by}', '${maker}', 120,
      '${JSON.stringify({ reserve: 500, tokens_per_month: most })}')`)
  )[0];

/** Makes the root of a leased warming. */
async function makeRoot() {
  const made = await claimNode(["Start."]);
  await finish(Number(made?.["generation"]), ["Hello."], {
    question,
    choices: { a: "a" },
    call: Number(made?.["call"]),
    used: { input: 100, output: 20, cost: 7 },
  });
  return made;
}

describe("the plan of plan_and_begin_warming, by node_visits", () => {
  it("expect what came before, from three visits on, level by level, and no more than was asked for", async () => {
    expect(Number(await value("select visits from node_visits where node_id = 1"))).toBe(9);
    const all = [
      { path: ["Start."], level: 1, expected: 9 },
      { path: ["Start.", "a"], level: 2, expected: 5 },
      { path: ["Start.", "a", "c"], level: 3, expected: 3 },
    ];
    expect(await plan()).toEqual(all);
    expect(await plan(1, "taught", 2)).toEqual(all.slice(0, 2));
  });

  it("omit stored answers, expect nothing of the key's own tree, and read the original of a copy", async () => {
    expect(await plan(1, "before")).toEqual([]);
    await storeNode({ id: 5 });
    await rows("update cache_nodes set content_fingerprint = 'taught' where id = 5");
    expect((await plan()).map(({ path }) => path)).toEqual([
      ["Start.", "a"],
      ["Start.", "a", "c"],
    ]);
    expect(await plan(2)).toEqual([]);
    await rows("update content_items set origin_item_id = 1 where id = 2");
    expect((await plan(2, "before")).length).toBe(3);
  });
});

describe("plan_and_begin_warming and warming_reports", () => {
  it("return the expected usage, once at a time, audited", async () => {
    const begun = await begin();
    expect(begun).toMatchObject({
      state: "waiting",
      estimate: { calls: 3, input_tokens: 300 + 30 + 60, output_tokens: 30 },
      by_batch: false,
      by_batch_of_estimate: { input_tokens: 0, output_tokens: 0 },
      nodes: { planned: 3, waiting: 3, made: 0, found: 0, left_out: 0, failed: 0 },
      calls: 0,
      cost_micros: null,
    });
    expect(await begin()).toBeNull();
    expect(await rows("select action, details from audit_events")).toEqual([
      { action: "tutor_answers.warmed", details: { content_item_id: 1 } },
    ]);
  });

  it("return the part in batches: levels of enough answers", async () => {
    expect(await begin(10, 2)).toMatchObject({
      by_batch: true,
      by_batch_of_estimate: { input_tokens: 0, output_tokens: 0 },
    });
    await rows("delete from warmings");
    expect(await begin(10, 1)).toMatchObject({
      estimate: { input_tokens: 300 + 30 + 60, output_tokens: 30 },
      by_batch_of_estimate: { input_tokens: 300 + 30 + 60, output_tokens: 30 },
    });
  });

  it("have nothing to do without expected answers", async () => {
    await rows("delete from cache_nodes");
    expect(await begin()).toMatchObject({ state: "done", nodes: { planned: 0 } });
    expect(await take()).toEqual([]);
  });
});

describe("leaseNextWarmingQuery, renewWarmingLeaseQuery and releaseOrEndWarmingQuery", () => {
  it("let one hold it at a time, until it lapses after 30 seconds, ends, or is left to another", async () => {
    await begin();
    const [id] = await take();
    expect(await take(otherToken)).toEqual([]);
    expect(await column(renewWarmingLeaseQuery(Number(id), token))).toEqual([id]);
    expect(await column(renewWarmingLeaseQuery(Number(id), otherToken))).toEqual([]);
    // Instants are kept to the millisecond, and rounded.
    expect(
      await value("select lease_until - clock_timestamp() <= interval '30001 milliseconds' from warmings"),
    ).toBe(true);
    await rows(releaseOrEndWarmingQuery(Number(id), token, undefined));
    expect(await take(otherToken)).toEqual([id]);
    await rows("update warmings set lease_until = now() - interval '1 second'");
    expect(await take()).toEqual([id]);
    await rows(releaseOrEndWarmingQuery(Number(id), otherToken, null));
    expect(await report()).toMatchObject({ state: "running" });
    await rows(releaseOrEndWarmingQuery(Number(id), token, "budget"));
    expect(await report()).toMatchObject({ state: "stopped", stop_reason: "budget" });
    expect(await begin()).not.toBeNull();
  });
});

describe("claim_generation_of_warming_node, begin_warming_call_within_budget and endWarmingNodeQuery", () => {
  beforeEach(async () => {
    await begin();
    await take();
  });

  it("produce an answer without a request: no person's call, no visit, and found by cache_node_id_at_path", async () => {
    const made = await makeRoot();
    expect(made).toMatchObject({ outcome: "to make", attempt: 1, exchanges: [] });
    const settled = await rows(endWarmingNodeQuery(await idOf(["Start."]), Number(made?.["generation"])));
    expect(settled).toEqual([{ state: "complete", stop: null, has_failed: false }]);
    expect(await rows("select user_id, purpose, outcome, cost_micros::int as cost from llm_calls")).toEqual([
      { user_id: null, purpose: "warm", outcome: "complete", cost: 7 },
    ]);
    const node = await value(
      `select cache_node_id_at_path((select one from warmings as one), '["Start."]')::int`,
    );
    expect(
      await rows(`select warmed, visit_count::int as visits, (select count(*)::int from cache_visits where node_id = node.id) as beside
        from cache_nodes as node where id = ${node}`),
    ).toEqual([{ warmed: true, visits: 0, beside: 0 }]);
    expect(await report()).toMatchObject({ nodes: { made: 1, waiting: 2 }, calls: 1, cost_micros: 7 });
    expect(await claimNode(["Start."])).toBeUndefined();
    expect(await rows(treeViolationsQuery)).toEqual([]);
  });

  it("send the answers above, and omit answers that those do not offer or have not produced", async () => {
    expect(await claimNode(["Start.", "a"])).toMatchObject({ outcome: "left out", generation: null });
    await rows("update warming_nodes set state = 'waiting'");
    await makeRoot();
    expect(await claimNode(["Start.", "a"])).toMatchObject({
      outcome: "to make",
      exchanges: [{ question: "Start.", answer: "Hello." }],
    });
    expect(await claimNode(["Start.", "a", "c"])).toMatchObject({ outcome: "left out" });
    expect(await report()).toMatchObject({ nodes: { left_out: 1, waiting: 2 } });
  });

  it("join a class's generation, and a class joins theirs", async () => {
    await rows("update chat_sessions set item_fingerprint = 'taught', surroundings_fingerprint = 'around'");
    const warmed = await claimNode(["Start."]);
    expect(await claimNode(["Start."], { maker: otherProducer })).toMatchObject({ outcome: "being made" });
    expect(await open()).toMatchObject({ generation: warmed?.["generation"], shared: true });
    expect(await claim()).toMatchObject({ kind: "follow", generation: warmed?.["generation"] });
    // The producer dies and the class makes the answer: a learner's call is no warming.
    await rows("update generations set lease_until = now() - interval '1 second'");
    const taken = await claim({ by: otherProducer });
    expect(taken).toMatchObject({ kind: "make", attempt: 2 });
    await finish(Number(taken["generation"]), ["Hello."], {
      by: otherProducer,
      call: Number(taken["call"]),
    });
    expect(await value("select warmed from cache_nodes where content_fingerprint = 'taught'")).toBe(false);
    expect(await claimNode(["Start."])).toMatchObject({ outcome: "found" });
    expect(await report()).toMatchObject({ nodes: { found: 1 } });
  });

  it("adopt another process's rest, whose call is lost, and yield to the warming's holder", async () => {
    await claimNode(["Start."]);
    await rows("update generations set lease_until = now() - interval '1 second'");
    await rows("update warmings set lease_until = now() - interval '1 second'");
    await take(otherToken);
    expect(await claimNode(["Start."])).toBeUndefined();
    expect(await claimNode(["Start."], { by: otherToken, maker: otherProducer })).toMatchObject({
      outcome: "to make",
      attempt: 2,
    });
    expect(await column("select outcome from llm_calls order by id")).toEqual(["lost", "started"]);
  });

  it("begin no call beyond the university's month, and leave no generation", async () => {
    expect(await claimNode(["Start."], { most: 400 })).toMatchObject({ outcome: "budget", call: null });
    expect(await rows("select from generations")).toEqual([]);
    expect(await rows("select from llm_calls")).toEqual([]);
    const refused = `select begin_warming_call_within_budget(0, one, '{"reserve": 500, "tokens_per_month": 400}') from warmings as one`;
    expect(await value(refused)).toBeNull();
    expect(await claimNode(["Start."], { most: 600 })).toMatchObject({ outcome: "to make" });
    expect(Number(await value("select tokens from tutor_months"))).toBe(500);
  });

  it("record an answer that ended without a path, and request a deleted one again", async () => {
    const made = await claimNode(["Start."]);
    const id = await idOf(["Start."]);
    const settle = (generation: number) => rows(endWarmingNodeQuery(id, generation));
    expect(await settle(Number(made?.["generation"]))).toMatchObject([{ state: "writing" }]);
    await finish(Number(made?.["generation"]), ["Half"], { stop: "length" });
    await settle(Number(made?.["generation"]));
    expect(await report()).toMatchObject({ nodes: { failed: 1 } });
    expect(await settle(1_000_000)).toEqual([]);
  });

  it("record an answer that failed its checks as failed, without a node", async () => {
    const made = await claimNode(["Start."]);
    const generation = Number(made?.["generation"]);
    await rows(`select * from finish_generation_and_store_answer(${generation}, '${producer}',
      '{"chunks": ["I cannot."], "checks": ["not_refused"]}', null, null)`);
    expect(await rows(endWarmingNodeQuery(await idOf(["Start."]), generation))).toEqual([
      { state: "complete", stop: null, has_failed: true },
    ]);
    expect(await report()).toMatchObject({ nodes: { failed: 1, made: 0 } });
    expect(await value("select count(*)::int from cache_nodes where warmed")).toBe(0);
  });
});

describe("begin_warming_batch_within_budget and end_warming_batch_requeuing_unanswered", () => {
  const beginBatch = async (by = token) => {
    const nodes = await column("select id from warming_nodes order by id");
    return rows(`select * from begin_warming_batch_within_budget((select max(id) from warmings), '${by}', '{${nodes}}',
      '{"reserve": 500}')`);
  };
  const openCalls = () => value("select count(*)::int from warming_nodes where call_id is not null");

  it("sends offered and unstored answers, once, and blocks no one", async () => {
    await begin();
    await take();
    expect(await beginBatch(otherToken), "it is someone else's").toEqual([]);
    await makeRoot();
    const begun = await beginBatch();
    expect(begun).toMatchObject([{ node: await idOf(["Start.", "a"]), exchanges: [{ question: "Start." }] }]);
    expect(await rows("select state, requests from llm_batches")).toEqual([
      { state: "sending", requests: 1 },
    ]);
    expect(await column("select is_batch from llm_calls where purpose = 'warm' order by id")).toEqual([
      false,
      true,
    ]);
    expect(await value("select count(*)::int from generations where state = 'writing'")).toBe(0);
    await rows(scheduleBatchCheckQuery(Number(begun[0]?.["batch"]), 60));
    await rows("update warmings set lease_until = now() - interval '1 second'");
    expect(await take(otherToken), "it is looked at later").toEqual([]);
  });

  it("keeps answered ones, and releases unanswered ones at its end", async () => {
    await begin();
    await take();
    const [asked] = await beginBatch();
    await rows(`select end_warming_batch_requeuing_unanswered(${asked?.["batch"]}, 'lost')`);
    await rows(`select end_warming_batch_requeuing_unanswered(${asked?.["batch"]}, 'ended')`);
    expect(await value("select state from llm_batches")).toBe("lost");
    expect(await column("select outcome from llm_calls where is_batch")).toEqual(["lost"]);
    expect(await openCalls()).toBe(0);
    expect(await rows("select state, requests from llm_batches where state = 'sending'")).toEqual([]);
    await beginBatch();
    expect(await openCalls(), "what was in a batch is asked for at once").toBe(0);
    expect(await column("select state from llm_batches order by id")).toEqual(["lost", "ended"]);
  });

  it("sends the rest of an undelivered one as another, twice", async () => {
    await begin();
    await take();
    const kept = [];
    for (const _ of [1, 2, 3]) {
      const [asked] = await beginBatch();
      await rows(`select end_warming_batch_requeuing_unanswered(${asked?.["batch"]}, 'unsent')`);
      kept.push(await value(`select batch_id is not null from warming_nodes where id = ${asked?.["node"]}`));
    }
    expect(await column("select state from llm_batches")).toEqual(["refused", "refused", "refused"]);
    expect(await openCalls()).toBe(0);
    expect(kept, "then it is asked for at once").toEqual([false, false, true]);
  });
});
