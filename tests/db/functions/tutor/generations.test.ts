import { describe, expect, it } from "vitest";
import { listenerRenewalMs, producerRenewalMs } from "../../../../lib/tutor/generations/leases.ts";
import { releaseGenerationEndingCallQuery } from "../../../../lib/tutor/generations/release-generation.ts";
import { openSession } from "../session.ts";
import { listener, openConversations, otherListener, otherProducer, producer } from "./conversations.ts";

const session = openSession();
const { rows, column, value } = session;
const { open, claim, append, finish, fail, openAndClaim, storeNode, standOn, lapse, stateOf } =
  openConversations(session);

const free = { content: "Why?", message: null };
const pieces = () => rows("select attempt, first_chunk, chunks from generation_pieces order by 1, 2");
const answers = () =>
  rows("select session_id, content, cache_node_id from chat_messages where role = 'assistant' order by id");
const openTurns = () => column("select id from chat_sessions where answering_token is not null order by id");

it("producer_lease_duration and listener_lease_duration last three of the signs of life that processes give", async () => {
  const lasts = (lease: string) => value(`select (extract(epoch from ${lease}()) * 1000)::int`);
  expect(await lasts("producer_lease_duration")).toBe(3 * producerRenewalMs);
  expect(await lasts("listener_lease_duration")).toBe(3 * listenerRenewalMs);
});

describe("claim_answer_generation", () => {
  it("makes the first caller the producer, with the answer's input, under a lease: claim_shared_generation(), start_claimed_generation_within_budget()", async () => {
    await storeNode({ id: 1, message: "Start.", chunks: ["Hello, ", "Ada."] });
    await standOn(1);
    await open({ content: "A" });
    const claimed = await claim({ parent: 1, message: "A" });
    expect(claimed).toMatchObject({
      kind: "make",
      attempt: 1,
      context: { title: "Carry" },
      exchanges: [{ question: "Start.", answer: "Hello, Ada." }],
    });
    expect(
      await value(
        "select lease_until between now() and clock_timestamp() + producer_lease_duration() + interval '1 ms' from generations",
      ),
    ).toBe(true);
  });

  it("never grants a lease beyond the maker's own time limit", async () => {
    await open();
    await claim({ seconds: 1 });
    expect(await value("select lease_until = maker_until from generations")).toBe(true);
  });

  it("subscribes later callers to the same answer", async () => {
    const { generation } = await openAndClaim();
    await open({ session: 2 });
    expect(await claim({ session: 2, by: otherProducer })).toMatchObject({ kind: "follow", generation });
    expect(await column("select token from generations")).toEqual([producer]);
  });

  it("draws an id only for a new answer, and none for subscribers or a restart", async () => {
    const drawn = () => value("select last_value::int from generations_id_seq");
    const { generation } = await openAndClaim();
    const before = await drawn();
    await open({ session: 2 });
    await claim({ session: 2, by: otherProducer });
    await lapse(generation);
    expect(await claim({ session: 2, by: otherProducer })).toMatchObject({ kind: "make", generation });
    expect(await drawn()).toBe(before);
  });

  it("gives an answer with an expired lease to the next caller, who restarts it", async () => {
    const { generation } = await openAndClaim();
    await append(generation, ["Half "]);
    await lapse(generation);
    await open({ session: 2 });
    expect(await claim({ session: 2, by: otherProducer })).toMatchObject({
      kind: "make",
      generation,
      attempt: 2,
      context: { title: "Carry" },
    });
    expect(await pieces()).toEqual([]);
    expect(await append(generation, ["words"], { first: 1 })).toEqual([]);
  });

  it("answers with the node that was stored before the claim, and counts the hit: store_found_answer_in_session()", async () => {
    await open();
    await storeNode();
    const claimed = await claim();
    expect(claimed).toMatchObject({
      kind: "stored",
      id: expect.any(Number),
      chunks: ["Hello, ", "Ada."],
      meta: { source: "cache", cache_node_id: 1 },
    });
    expect(await answers()).toEqual([{ session_id: 1, content: "Hello, Ada.", cache_node_id: 1 }]);
    expect(await rows("select node_id, hit from cache_visits")).toEqual([{ node_id: 1, hit: true }]);
    expect(await rows("select id from generations")).toEqual([]);
    expect(await openTurns()).toEqual([]);
  });

  it("reports a purged path, and lets the session leave the tree", async () => {
    await storeNode();
    await standOn(1);
    await open({ content: "A" });
    await rows("delete from cache_nodes");
    expect(await claim({ parent: 1, message: "A" })).toMatchObject({ kind: "path gone" });
    expect(await value("select cache_state from chat_sessions where id = 1")).toBe("diverged");
    expect(await rows("select id from generations")).toEqual([]);
  });

  it("reports it too if the cursor was moved away", async () => {
    await storeNode();
    await standOn(1);
    await open({ content: "A" });
    await rows("update chat_sessions set cache_node_id = null where id = 1");
    expect(await claim({ parent: 1, message: "A" })).toMatchObject({ kind: "path gone" });
  });

  it("repeats the path above the answer under the cursor if that is requested again", async () => {
    await storeNode({ id: 1 });
    await storeNode({ id: 2, parent: 1, message: "A" });
    await standOn(2);
    await open({ content: "B" });
    expect(await claim({ parent: 1, message: "A" })).toMatchObject({
      kind: "stored",
      meta: { cache_node_id: 2 },
    });
  });

  it("makes a private answer from the session's history, for its one question: claim_private_generation()", async () => {
    await standOnNothing();
    await open(free);
    const claimed = await claim({ shared: false });
    expect(claimed).toMatchObject({
      kind: "make",
      exchanges: [{ question: "How?", answer: "Thus." }],
    });
    expect(await rows("select session_id, parent_id, message from generations")).toEqual([
      { session_id: 1, parent_id: null, message: null },
    ]);
    expect(await claim({ shared: false, by: otherProducer })).toMatchObject({
      kind: "follow",
      generation: claimed["generation"],
    });
  });

  it("answers with what was said where a stopped answer lost its maker", async () => {
    const { generation } = await openAndClaim(free);
    await append(generation, ["As ", "far "]);
    await append(generation, ["as"], { first: 2 });
    await rows("update generations set stop_requested = true");
    await lapse(generation);
    expect(await claim({ shared: false, by: otherProducer })).toMatchObject({ kind: "follow", generation });
    expect(await rows("select state, stop, chunks from generations")).toEqual([
      { state: "complete", stop: "stopped", chunks: ["As ", "far ", "as"] },
    ]);
    expect(await answers()).toEqual([{ session_id: 1, content: "As far as", cache_node_id: null }]);
  });

  it("hands on a private answer that ended, and was not stored with its question yet", async () => {
    const { generation } = await openAndClaim(free);
    await rows(`update generations set state = 'complete', chunks = '["Because."]'`);
    expect(await claim({ shared: false, by: otherProducer })).toMatchObject({ kind: "follow", generation });
  });

  it("does nothing for a turn that is another's by now", async () => {
    await open();
    expect(await claim({ token: otherListener })).toEqual({ kind: "lost" });
    expect(await rows("select id from generations")).toEqual([]);
  });

  async function standOnNothing() {
    await rows(`insert into chat_messages (id, session_id, role, content, in_reply_to_id) overriding system value
      values (-2, 1, 'user', 'How?', null), (-1, 1, 'assistant', 'Thus.', -2)`);
  }
});

describe("questions_and_answers_of_path", () => {
  it("is the questions and answers of those nodes, in their order", async () => {
    await storeNode({ id: 1 });
    await storeNode({ id: 2, parent: 1, message: "A", chunks: ["Yes", "."] });
    await storeNode({ id: 3, parent: 1, message: "B" });
    expect(await value("select questions_and_answers_of_path('{2, 1}')")).toEqual([
      { question: "Start.", answer: "Hello, Ada." },
      { question: "A", answer: "Yes." },
    ]);
    expect(await value("select questions_and_answers_of_path('{}')")).toEqual([]);
  });
});

describe("the exchanges of a private answer", () => {
  it("are answered messages before a message, without refusals, empty answers and unanswered ones", async () => {
    await rows(`insert into chat_messages (id, session_id, role, content, meta, in_reply_to_id) overriding system value
      values (-9, 1, 'user', 'One?', '{}', null), (-8, 1, 'assistant', 'One.', '{}', -9),
             (-7, 1, 'user', 'Two?', '{}', null), (-6, 1, 'assistant', 'I will not.', '{"stop": "refusal"}', -7),
             (-5, 1, 'user', 'Three?', '{}', null), (-4, 1, 'assistant', '', '{"stop": "empty"}', -5),
             (-3, 1, 'user', 'Four?', '{}', null), (-2, 1, 'assistant', 'Fo', '{"stop": "length"}', -3),
             (-1, 1, 'user', 'Five?', '{}', null)`);
    await rows(`insert into chat_messages (id, session_id, role, content, in_reply_to_id) overriding system value
      values (1000001, 1, 'user', 'Later?', null), (1000002, 1, 'assistant', 'Later.', 1000001)`);
    await open(free);
    expect((await claim({ shared: false }))["exchanges"]).toEqual([
      { question: "One?", answer: "One." },
      { question: "Four?", answer: "Fo" },
    ]);
    await open({ session: 2, ...free });
    expect((await claim({ session: 2, shared: false }))["exchanges"]).toEqual([]);
  });
});

describe("append_chunks_and_renew_lease", () => {
  it("adds to the draft, renews the lease, and returns whether the learner stopped it", async () => {
    const { generation } = await openAndClaim();
    await rows("update generations set lease_until = now() - interval '1 second'");
    expect(await append(generation, ["a", "b"])).toEqual([{ stop_requested: false }]);
    await rows("update generations set stop_requested = true");
    expect(await append(generation, ["c"], { first: 2 })).toEqual([{ stop_requested: true }]);
    expect(await pieces()).toEqual([
      { attempt: 1, first_chunk: 0, chunks: ["a", "b"] },
      { attempt: 1, first_chunk: 2, chunks: ["c"] },
    ]);
    expect(await value("select lease_until > clock_timestamp() from generations")).toBe(true);
  });

  it("writes the same piece once", async () => {
    const { generation } = await openAndClaim();
    await append(generation, ["a"]);
    expect(await append(generation, ["a"])).toHaveLength(1);
    expect(await pieces()).toHaveLength(1);
  });

  it("writes nothing for another's token, after the time limit, and when the answer has ended", async () => {
    const { generation } = await openAndClaim();
    expect(await append(generation, ["a"], { by: otherProducer })).toEqual([]);
    await rows(
      "update generations set maker_until = now() - interval '1 second', lease_until = now() - interval '1 second'",
    );
    expect(await append(generation, ["a"])).toEqual([]);
    await rows("update generations set maker_until = clock_timestamp() + interval '1 minute'");
    await finish(generation, ["Whole."]);
    expect(await append(generation, ["a"])).toEqual([]);
    expect(await pieces()).toEqual([]);
  });
});

describe("renew_producer_and_listener_leases", () => {
  const renew = (generation: number, by = producer, listening = listener) =>
    rows(`select * from renew_producer_and_listener_leases(array[${generation}], array['${by}']::uuid[], array[1],
      array['${listening}']::uuid[])`);
  const leases = async () =>
    (
      await rows(`select made.lease_until > clock_timestamp() as making, answering_until > now() as listening
        from generations as made, chat_sessions where chat_sessions.id = 1`)
    )[0];

  it("renews the leases of their holders, and returns holders and stops", async () => {
    const { generation } = await openAndClaim();
    await lapse(generation);
    await rows("update chat_sessions set answering_until = now() - interval '1 second' where id = 1");
    expect(await renew(generation)).toEqual([{ generation, stop_requested: false }]);
    expect(await leases()).toEqual({ making: true, listening: true });
    await rows("update generations set stop_requested = true");
    expect(await renew(generation)).toEqual([{ generation, stop_requested: true }]);
  });

  it("renews no lease of another holder", async () => {
    const { generation } = await openAndClaim();
    await lapse(generation);
    await rows("update chat_sessions set answering_until = now() - interval '1 second' where id = 1");
    expect(await renew(generation, otherProducer, otherListener)).toEqual([]);
    expect(await leases()).toEqual({ making: false, listening: false });
  });

  it("renews no lease beyond the time limit of the answer", async () => {
    const { generation } = await openAndClaim();
    await rows(
      "update generations set maker_until = now() - interval '1 second', lease_until = now() - interval '1 second'",
    );
    await rows(
      "update chat_sessions set answering_since = now() - answer_time_limit() - interval '1 second' where id = 1",
    );
    expect(await renew(generation)).toEqual([]);
    expect(await leases()).toEqual({ making: false, listening: false });
  });
});

describe("finish_generation_and_store_answer", () => {
  it("stores a class's answer as a node, and drops its pieces", async () => {
    const { generation } = await openAndClaim();
    await append(generation, ["Hello, "]);
    const asked = { questionId: "q1" };
    expect(
      await finish(generation, ["Hello, ", "Ada."], { question: asked, choices: { a: "A" } }),
    ).toMatchObject([{ chunks: ["Hello, ", "Ada."], answer_id: null, answered_at: null, meta: null }]);
    expect(
      await rows(
        "select parent_id, message, chunks, question, choices, input_tokens, output_tokens from cache_nodes",
      ),
    ).toEqual([
      {
        parent_id: null,
        message: "Start.",
        chunks: ["Hello, ", "Ada."],
        question: asked,
        choices: { a: "A" },
        input_tokens: 3,
        output_tokens: 4,
      },
    ]);
    expect(await value("select node_id = (select id from cache_nodes) from generations")).toBe(true);
    expect(await pieces()).toEqual([]);
  });

  it("is fenced by the maker's token", async () => {
    const { generation } = await openAndClaim();
    expect(await finish(generation, ["Hello."], { by: otherProducer })).toEqual([]);
    expect(await stateOf(generation)).toBe("writing");
    expect(await rows("select id from cache_nodes")).toEqual([]);
  });

  it("returns the same when it is repeated, whatever the text", async () => {
    const { generation } = await openAndClaim();
    const once = await finish(generation, ["Hello."]);
    expect(await finish(generation, ["Other words."])).toEqual(once);
    expect(await column("select chunks from cache_nodes")).toEqual([["Hello."]]);
  });

  it("adopts an existing node: the first write wins", async () => {
    const { generation } = await openAndClaim();
    await storeNode({ id: 1, chunks: ["First."] });
    expect(await finish(generation, ["Second."])).toMatchObject([{ chunks: ["First."] }]);
    expect(await rows("select state, chunks, node_id from generations")).toEqual([
      { state: "complete", chunks: ["First."], node_id: 1 },
    ]);
  });

  it("leaves no node of a cut-off answer", async () => {
    const { generation } = await openAndClaim();
    await finish(generation, ["As far as"], { stop: "length" });
    expect(await rows("select id from cache_nodes")).toEqual([]);
    expect(await rows("select state, stop, chunks, node_id from generations")).toEqual([
      { state: "complete", stop: "length", chunks: ["As far as"], node_id: null },
    ]);
  });

  it("stores a private answer with its question, and ends the turn, once", async () => {
    const { generation, question } = await openAndClaim(free);
    const [stored] = await finish(generation, ["Be", "cause."], { stop: "stopped" });
    expect(stored).toMatchObject({
      chunks: ["Be", "cause."],
      answer_id: expect.any(Number),
      meta: { source: "llm", stop: "stopped", input_tokens: 3, output_tokens: 4 },
    });
    expect(await answers()).toEqual([{ session_id: 1, content: "Because.", cache_node_id: null }]);
    expect(await value("select in_reply_to_id from chat_messages where role = 'assistant'")).toBe(question);
    expect(await openTurns()).toEqual([]);
    expect(await finish(generation, ["Because."])).toHaveLength(1);
    expect(await answers()).toHaveLength(1);
  });

  it("ends a private answer with a lost turn, and stores no message", async () => {
    const { generation } = await openAndClaim(free);
    await rows(`select release_unanswered_turn(1, '${listener}')`);
    await open({ token: otherListener });
    expect(await finish(generation, ["Because."])).toMatchObject([{ answer_id: null }]);
    expect(await stateOf(generation)).toBe("complete");
    expect(await answers()).toEqual([]);
  });
});

describe("retry_or_fail_generation", () => {
  it("restarts the answer after the first failure, and fails for everyone after the second", async () => {
    const { generation } = await openAndClaim();
    await append(generation, ["Half "]);
    expect(await fail(generation, 1)).toMatchObject([{ state: "writing" }]);
    expect(await pieces()).toEqual([]);
    await append(generation, ["Other "]);
    expect(await pieces()).toMatchObject([{ attempt: 2 }]);
    expect(await fail(generation, 2)).toMatchObject([{ state: "failed" }]);
    expect(await pieces()).toEqual([]);
    expect(await finish(generation, ["Whole."])).toEqual([]);
  });

  it("fails for everyone immediately if the provider gives a retry time, and reports it", async () => {
    const { generation } = await openAndClaim();
    expect(await fail(generation, 1, { seconds: 17 })).toMatchObject([{ state: "failed" }]);
    expect(await value("select retry_after from generations")).toBe(17);
  });

  it("counts a failure once, however often it is noted", async () => {
    const { generation } = await openAndClaim();
    await fail(generation, 1);
    expect(await fail(generation, 1)).toMatchObject([{ state: "writing" }]);
    expect(await value("select failures from generations")).toBe(1);
  });

  it.each([
    { seconds: 10, state: "failed" },
    { seconds: 20, state: "writing" },
  ])(
    "after a failure $seconds s before the next one claims the answer leaves it $state: recent_generation_failures()",
    async ({ seconds, state }) => {
      const { generation } = await openAndClaim();
      await fail(generation, 1);
      await rows(`update generations set lease_until = now() - interval '${seconds} seconds'`);
      const again = await claim({ by: otherProducer });
      expect(again).toMatchObject({ kind: "make", generation, attempt: 3 });
      expect(await fail(generation, 3, { by: otherProducer })).toMatchObject([{ state }]);
    },
  );

  it("ends the call with the reported usage", async () => {
    const { generation } = await openAndClaim();
    const call = Number(await value(`select call_id from generations where id = ${generation}`));
    const [again] = await fail(generation, 1, { call, how: "timeout" });
    const outcomes = () => rows("select outcome from llm_calls order by id");
    expect(await outcomes()).toEqual([{ outcome: "timeout" }, { outcome: "started" }]);
    await fail(generation, 2, { call: Number(again?.["call"]), how: "failed" });
    expect(await outcomes()).toEqual([{ outcome: "timeout" }, { outcome: "failed" }]);
  });

  it("is fenced by the maker's token", async () => {
    const { generation } = await openAndClaim();
    expect(await fail(generation, 1, { by: otherProducer })).toEqual([]);
    expect(await value("select failures from generations")).toBe(0);
  });

  it("lets later callers restart a failed answer", async () => {
    const { generation } = await openAndClaim();
    await fail(generation, 1);
    await fail(generation, 2);
    const again = await claim({ by: otherProducer });
    expect(again).toMatchObject({ kind: "make", attempt: 1 });
    expect(again["generation"]).not.toBe(generation);
  });
});

describe("released", () => {
  const release = (generation: number, by: string) =>
    rows(releaseGenerationEndingCallQuery({ generation, token: by }, null, null));
  const isLapsed = () => value("select lease_until < clock_timestamp() from generations");

  it("ends the holder's lease, so another caller may produce the answer immediately", async () => {
    const { generation } = await openAndClaim();
    await release(generation, otherProducer);
    expect(await isLapsed()).toBe(false);
    await release(generation, producer);
    expect(await isLapsed()).toBe(true);
  });
});

describe("delete_ended_generations", () => {
  const age = (generation: number, lease: string) =>
    rows(`update generations set created_at = now() - interval '11 minutes', lease_until = now() - interval '${lease}'
      where id = ${generation}`);

  it("deletes old generations that ended or lost their producer, up to the given number", async () => {
    const ended = await openAndClaim();
    await finish(ended.generation, ["Hello."]);
    const left = await openAndClaim({ session: 2, ...free });
    await age(ended.generation, "11 minutes");
    await age(left.generation, "11 minutes");
    expect(await value("select delete_ended_generations(1)")).toBe(1);
    expect(await value("select delete_ended_generations(10)")).toBe(1);
    expect(await value("select delete_ended_generations(10)")).toBe(0);
  });

  it("keeps unfinished generations, and those that ended just now", async () => {
    const ended = await openAndClaim();
    await finish(ended.generation, ["Hello."]);
    const { generation } = await openAndClaim({ session: 2, ...free });
    await age(generation, "1 second");
    expect(await value("select delete_ended_generations(10)")).toBe(0);
  });
});
