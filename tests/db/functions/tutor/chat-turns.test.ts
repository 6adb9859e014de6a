import { describe, expect, it } from "vitest";
import { openSession } from "../session.ts";
import { listener, openConversations, otherListener, otherProducer, tutorVersion } from "./conversations.ts";

const session = openSession();
const { rows, column, value, rowsReadOf } = session;
const { open, claim, finish, close, openAndClaim, lapse, storeNode, standOn } = openConversations(session);

const free = { content: "Why?", message: null };
const turns = () =>
  rows(`select answering_message_id as message, answering_token as token from chat_sessions
        where answering_token is not null or answering_message_id is not null`);
const messages = () => column("select content from chat_messages where session_id = 1 order by id");
const stateOfTree = () => rows("select cache_node_id, cache_state from chat_sessions where id = 1");

describe("open_turn", () => {
  it("stores the message, takes the session's lease, and returns the answer's input: store_message_and_take_lease()", async () => {
    const turn = await open();
    expect(turn).toMatchObject({
      kind: "open",
      shared: true,
      parent_id: null,
      message: "Start.",
      model: "model",
      token: listener,
    });
    expect(turn["graph"]).toMatchObject({ prompts: [{ name: "tutor" }], links: [] });
    expect(await turns()).toEqual([{ message: turn["message_id"], token: listener }]);
    expect(await messages()).toEqual(["Start."]);
    expect(await column("select verb from activity_events")).toEqual(["asked"]);
  });

  it("returns a stored answer immediately, without a lease: store_message_and_replayed_answer()", async () => {
    await storeNode();
    const turn = await open();
    expect(turn).toMatchObject({
      kind: "stored",
      id: expect.any(Number),
      chunks: ["Hello, ", "Ada."],
      meta: { source: "cache", cache_node_id: 1 },
    });
    expect(await messages()).toEqual(["Start.", "Hello, Ada."]);
    expect(await stateOfTree()).toEqual([{ cache_node_id: 1, cache_state: "tracking" }]);
    expect(await turns()).toEqual([]);
    expect(await rows("select node_id, hit from cache_visits")).toEqual([{ node_id: 1, hit: true }]);
  });

  it("reads no other answer of the topic to find the stored one: find_and_lock_stored_turn_answer()", async () => {
    await storeNode();
    await rows(`insert into cache_nodes (id, content_item_id, parent_id, message, chunks, prompt_name,
        prompt_version, model, prompt_fingerprint, content_fingerprint)
      overriding system value
      select number, content_item_id, number - 1, 'again', chunks, prompt_name, prompt_version, model,
             prompt_fingerprint, content_fingerprint
      from cache_nodes, generate_series(2, 1000) as number`);
    // Most topics have two answers, for which the plan is made.
    await rows("alter table cache_nodes alter content_item_id set (n_distinct = -0.5)");
    await rows("analyze cache_nodes");
    const before = await rowsReadOf("cache_nodes");
    expect(await open()).toMatchObject({ meta: { cache_node_id: 1 } });
    expect((await rowsReadOf("cache_nodes")) - before).toBeLessThan(5);
  });

  it("joins the answer that is just being made, for as long as its maker lives, and reads no prompt then", async () => {
    const { generation } = await openAndClaim();
    expect(await open({ session: 2 })).toMatchObject({ shared: true, generation, graph: null });
    await lapse(generation);
    await rows("update chat_sessions set answering_until = now() - interval '1 second'");
    expect(await open({ session: 2 })).toMatchObject({ generation: null, graph: { links: [] } });
  });

  it("joins no private answer, which is found by its question", async () => {
    await openAndClaim({ content: "Why?", message: null });
    expect(await open({ session: 2, content: "Why?", message: null })).toMatchObject({ generation: null });
  });

  it("asks for the former options if the cursor is gone, waits for them, and then keeps the session in the tree", async () => {
    const question = { questionId: "q1", question: "Which?", options: [{ id: "A", text: "First" }] };
    await rows(`insert into chat_messages (session_id, role, content, question)
      values (1, 'assistant', 'Which?', '${JSON.stringify(question)}'), (1, 'assistant', 'Which?', '${JSON.stringify(question)}')`);
    const said = { content: "a", message: '{"answer":"a","questionId":"q1"}' };
    expect(await open(said)).toMatchObject({ kind: "ask", questions: [question] });
    expect(await messages()).toEqual(["Which?", "Which?"]);
    expect(await turns()).toEqual([]);
    await rows("savepoint before");
    expect(await open({ ...said, offered: true })).toMatchObject({ kind: "open", shared: false });
    expect(await stateOfTree()).toEqual([{ cache_node_id: null, cache_state: "tracking" }]);
    await rows("rollback to savepoint before");
    expect(await open({ ...said, offered: false })).toMatchObject({ kind: "open", shared: false });
    expect(await stateOfTree()).toEqual([{ cache_node_id: null, cache_state: "diverged" }]);
  });

  it("asks for the day and for the former options together", async () => {
    const question = { questionId: "q1", question: "Which?", options: [{ id: "A", text: "First" }] };
    await rows(`insert into chat_messages (session_id, role, content, question)
      values (1, 'assistant', 'Which?', '${JSON.stringify(question)}')`);
    const said = { content: "a", message: '{"answer":"a","questionId":"q1"}', zone: "Asia/Tokyo" };
    expect(await open(said)).toEqual({
      kind: "ask",
      time_zone: "UTC",
      questions: [question],
      has_key: false,
      is_again: false,
    });
  });

  it("answers with the version that staff try in the session: prompt_version_and_model_of_turn()", async () => {
    await rows("update courses set llm_model = null");
    await rows(`insert into prompts (name, version, prompt, config)
      values ('tutor', 99, 'Be brief.', '{"model": "small"}')`);
    await rows(
      "update chat_sessions set prompt_id = (select id from prompts where version = 99) where id = 1",
    );
    const { graph, model } = await open();
    expect({ graph, model }).toMatchObject({ graph: { prompts: [{ version: 99 }] }, model: "small" });
    expect(await open({ session: 2 })).toMatchObject({
      graph: { prompts: [{ version: tutorVersion }] },
      model: "model",
    });
  });

  it("counts a day of the streak once", async () => {
    await rows("update users set last_activity_date = '2026-03-04', current_streak_days = 3 where id = 1");
    await storeNode();
    await open();
    await open();
    expect(await value("select current_streak_days from users where id = 1")).toBe(4);
  });

  it("says why it did nothing, and does nothing: lock_session_and_check_turn_access()", async () => {
    expect(await open({ person: 99 })).toEqual({ kind: "refused", why: "ended token" });
    expect(await open({ session: 99, person: 1 })).toMatchObject({ kind: "refused", why: "no such session" });
    expect(await open({ person: 2 })).toMatchObject({ kind: "refused", why: "not theirs" });
    expect(await open({ zone: "Asia/Tokyo" })).toMatchObject({ kind: "ask", time_zone: "UTC" });
    await rows("update users set is_active = false where id = 2");
    expect(await open({ session: 2 })).toMatchObject({ kind: "refused", why: "inactive person" });
    expect(await value("select count(*)::int from chat_messages")).toBe(0);
    expect(await turns()).toEqual([]);
  });

  it("rejects a second message during the first answer, until its subscribers have left", async () => {
    await open();
    expect(await open({ token: otherListener })).toMatchObject({ kind: "refused", why: "being answered" });
    expect(await messages()).toHaveLength(1);
    await rows("update chat_sessions set answering_until = now() - interval '1 second'");
    expect(await open({ token: otherListener })).toMatchObject({ kind: "open", token: otherListener });
  });

  it("resumes a message that its client sends again, and rejects another one with the same id", async () => {
    const { message_id } = await open({ client: "m1" });
    expect(await open({ client: "m1", token: otherListener })).toMatchObject({
      kind: "open",
      message_id,
      token: listener,
      made: null,
    });
    expect(await open({ client: "m1", content: "Other" })).toEqual({
      kind: "refused",
      why: "client id taken",
    });
    expect(await messages()).toEqual(["Start."]);
    expect(await open({ session: 2, client: "m1" })).toMatchObject({ kind: "open" });
  });

  it("returns the answer to a message that its client sends again, in its original chunks if the tree has them", async () => {
    await storeNode();
    const first = await open({ client: "m1" });
    expect(await open({ client: "m1" })).toMatchObject({
      kind: "stored",
      id: first["id"],
      chunks: ["Hello, ", "Ada."],
    });
    await rows(`update cache_nodes set chunks = '["By hand."]', edited_at = now()`);
    expect(await open({ client: "m1" })).toMatchObject({ chunks: ["Hello, Ada."] });
    expect(await messages()).toHaveLength(2);
  });

  it("shows no earlier messages to a caller who may not send", async () => {
    await storeNode();
    await open({ client: "m1" });
    expect(await open({ person: 2, client: "m1" })).toEqual({ kind: "refused", why: "not theirs" });
    await rows("update users set is_active = false where id = 1");
    expect(await open({ client: "m1" })).toEqual({ kind: "refused", why: "inactive person" });
  });

  it("joins subscribers when a message is resumed, also those that had fallen silent", async () => {
    const { message_id: question } = await open();
    const resume = () => open({ question: Number(question), token: otherListener });
    expect(await resume()).toMatchObject({ kind: "open", message_id: question, token: listener });
    await rows("update chat_sessions set answering_until = now() - interval '1 second'");
    expect(await resume()).toMatchObject({ kind: "open", message_id: question, token: listener });
    expect(await value("select bool_or(answering_until > now()) from chat_sessions")).toBe(true);
    expect(await messages()).toEqual(["Start."]);
    expect(await value("select count(*)::int from activity_events")).toBe(1);
  });

  it("says that a message was answered by the time it was taken up again", async () => {
    const { generation, question } = await openAndClaim(free);
    await finish(generation, ["Because."]);
    expect(await open({ ...free, question, token: otherListener })).toMatchObject({
      kind: "stored",
      chunks: ["Because."],
      id: expect.any(Number),
    });
  });

  it("keeps an answer to the question under the cursor on the path, by its normal form: resolve_turn_position()", async () => {
    await storeNode({ id: 1, choices: { first: "A", A: "A" } });
    await storeNode({ id: 2, parent: 1, message: "A", chunks: ["Yes."] });
    await standOn(1);
    expect(await open({ content: "first" })).toMatchObject({ kind: "stored", chunks: ["Yes."] });
    expect(await stateOfTree()).toMatchObject([{ cache_node_id: 2 }]);
  });

  it("leaves the tree with an answer that the question under the cursor does not offer", async () => {
    await storeNode({ id: 1, choices: { A: "A" } });
    await standOn(1);
    expect(await open({ content: "Z" })).toMatchObject({ shared: false, message: null });
    expect(await stateOfTree()).toEqual([{ cache_node_id: 1, cache_state: "diverged" }]);
  });

  it("keeps every answer on the path if the answer under the cursor has no question", async () => {
    await storeNode({ id: 1 });
    await standOn(1);
    expect(await open({ content: "Z" })).toMatchObject({ shared: true, message: "Z", parent_id: 1 });
  });

  it("returns the same answer to a repeated last message", async () => {
    await storeNode({ id: 1, choices: { first: "A", A: "A" } });
    await storeNode({ id: 2, parent: 1, message: "A", chunks: ["Yes."], choices: { B: "B" } });
    await standOn(2);
    expect(await open({ content: "first" })).toMatchObject({ kind: "stored", chunks: ["Yes."] });
    expect(await stateOfTree()).toEqual([{ cache_node_id: 2, cache_state: "tracking" }]);
  });

  it("leaves the tree with free text, with an answer before the first greeting, and never returns", async () => {
    expect(await open(free)).toMatchObject({ shared: false });
    expect(await open({ session: 2, content: "A" })).toMatchObject({ shared: false });
    expect(await column("select cache_state from chat_sessions")).toEqual(["diverged", "diverged"]);
    await rows("update chat_sessions set answering_until = now() - interval '1 second'");
    expect(await open()).toMatchObject({ shared: false });
  });

  it("shares nothing if the course does not, and leaves no tree there except with free text", async () => {
    await rows("update courses set cache_enabled = false");
    await storeNode();
    expect(await open()).toMatchObject({ shared: false });
    expect(await stateOfTree()).toMatchObject([{ cache_state: "tracking" }]);
    expect(await open({ session: 2, ...free })).toMatchObject({ shared: false });
    expect(await value("select cache_state from chat_sessions where id = 2")).toBe("diverged");
  });
});

it("store_answer_in_waiting_sessions stores an answer once, for an open turn", async () => {
  const { generation, question } = await openAndClaim({ content: "Why?", message: null });
  await rows(`update generations set state = 'complete', chunks = '["So."]' where id = ${generation}`);
  const told = (token: string) =>
    rows(
      `select content from store_answer_in_waiting_sessions((select made from generations as made), null, false, '{1}', '{${token}}', '{${question}}')
       where id is not null`,
    );
  expect(await told(otherListener)).toEqual([]);
  expect(await told(listener)).toEqual([{ content: "So." }]);
  expect(await told(listener)).toEqual([]);
  expect(await turns()).toEqual([]);
});

describe("end_waiting_turns_of_generation", () => {
  it("stores the answer, moves the cursor to its node, and ends the turn", async () => {
    const { generation, question } = await openAndClaim();
    await finish(generation, ["Hello, ", "Ada."]);
    expect(await close(question, generation)).toMatchObject([
      { content: "Hello, Ada.", meta: { source: "llm", model: "model", input_tokens: 3, output_tokens: 4 } },
    ]);
    expect(await messages()).toEqual(["Start.", "Hello, Ada."]);
    expect(
      await value("select cache_node_id = (select id from cache_nodes) from chat_sessions where id = 1"),
    ).toBe(true);
    expect(await rows("select hit from cache_visits")).toEqual([{ hit: false }]);
    expect(await turns()).toEqual([]);
  });

  it("returns the stored answer when it is repeated", async () => {
    const { generation, question } = await openAndClaim();
    await finish(generation, ["Hello."]);
    const once = await close(question, generation);
    expect(await close(question, generation)).toEqual(once);
    expect(await messages()).toHaveLength(2);
    expect(await value("select count(*)::int from cache_visits")).toBe(1);
  });

  it("says why an answer ended before its end, and moves no cursor then", async () => {
    const { generation, question } = await openAndClaim();
    await finish(generation, ["Hel"], { stop: "length" });
    expect(await close(question, generation)).toMatchObject([{ content: "Hel", meta: { stop: "length" } }]);
    expect(await stateOfTree()).toEqual([{ cache_node_id: null, cache_state: "tracking" }]);
  });

  it("stores nothing for a lost turn, nor of an unfinished answer", async () => {
    const { generation, question } = await openAndClaim();
    expect(await close(question, generation)).toEqual([]);
    await finish(generation, ["Hello."]);
    expect(await close(question, generation, { token: otherListener })).toEqual([]);
    expect(await messages()).toEqual(["Start."]);
    expect(await turns()).toHaveLength(1);
  });

  it("closes a turn once for two subscribers in one session", async () => {
    const { generation, question } = await openAndClaim();
    await finish(generation, ["Hello."]);
    const both = `select id from end_waiting_turns_of_generation(
      ${generation}, '{1,1}', '{${listener},${listener}}', '{${question},${question}}')`;
    expect(await rows(both)).toHaveLength(1);
    expect(await messages()).toEqual(["Start.", "Hello."]);
    expect(await value("select count(*)::int from cache_visits")).toBe(1);
  });

  it("closes the turns of all subscribers, and skips lost ones", async () => {
    const { generation, question } = await openAndClaim();
    const other = await open({ session: 2 });
    await finish(generation, ["Hello, ", "Ada."]);
    const closed = (tokens: string[]) =>
      rows(`select question, content from end_waiting_turns_of_generation(${generation}, '{2,1}', '{${tokens}}',
        '{${Number(other["message_id"])},${question}}')`);
    expect(await closed([listener, listener])).toEqual([{ question, content: "Hello, Ada." }]);
    expect(await turns()).toHaveLength(1);
    expect(await closed([otherListener, listener])).toEqual([
      { question, content: "Hello, Ada." },
      { question: other["message_id"], content: "Hello, Ada." },
    ]);
    expect(await turns()).toEqual([]);
    expect(await rows("select hit from cache_visits")).toHaveLength(2);
  });
});

describe("store_answer_and_end_turn", () => {
  const store = (chunks: string[]) =>
    rows(`select * from store_answer_and_end_turn(1, (select max(id) from chat_messages), '${JSON.stringify(chunks)}',
      '{"source": "cache"}', true, 1, true)`);

  it("moves the cursor to the node that says the same, and counts the visit", async () => {
    await open();
    await storeNode();
    expect(await store(["Hello, ", "Ada."])).toHaveLength(1);
    expect(await stateOfTree()).toMatchObject([{ cache_node_id: 1 }]);
    expect(await rows("select node_id, hit from cache_visits")).toEqual([{ node_id: 1, hit: true }]);
    expect(await turns()).toEqual([]);
  });

  it("leaves the cursor unchanged if the node has another answer by now, or was deleted", async () => {
    await open();
    await storeNode({ chunks: ["By hand."] });
    await store(["Hello, ", "Ada."]);
    expect(await stateOfTree()).toMatchObject([{ cache_node_id: null }]);
    expect(
      await rows("select content, on_shared_path, cache_node_id from chat_messages where role = 'assistant'"),
    ).toEqual([{ content: "Hello, Ada.", on_shared_path: true, cache_node_id: null }]);
    expect(await rows("select id from cache_visits")).toEqual([]);
  });
});

describe("release_unanswered_turn", () => {
  const leave = (by = listener) => rows(`select release_unanswered_turn(1, '${by}')`);
  const isHeld = () => value("select answering_until > now() from chat_sessions where id = 1");

  it("releases the turn immediately, and other subscribers renew it", async () => {
    await openAndClaim();
    await leave(otherListener);
    expect(await isHeld()).toBe(true);
    await leave();
    expect(await isHeld()).toBe(false);
    await rows(`select renew_producer_and_listener_leases('{}', '{}', '{1}', '{${listener}}')`);
    expect(await isHeld()).toBe(true);
    expect(await messages()).toEqual(["Start."]);
  });

  it("ends the turn of a failed answer for everyone, and keeps the message", async () => {
    const { generation } = await openAndClaim();
    await rows(`update generations set state = 'failed' where id = ${generation}`);
    await leave(otherListener);
    expect(await turns()).toHaveLength(1);
    await leave();
    expect(await turns()).toEqual([]);
    expect(await messages()).toEqual(["Start."]);
  });

  it("leaves the turn to subscribers who are about to replace a silent producer", async () => {
    const { generation, question } = await openAndClaim();
    await lapse(generation);
    await open({ question });
    await leave();
    expect(await claim({ by: otherProducer })).toMatchObject({ kind: "make", generation });
  });

  it("ends the turn without a producer", async () => {
    await open();
    await leave();
    expect(await turns()).toEqual([]);
  });

  it("leaves the turn to callers who resumed its message after a failure", async () => {
    const { generation, question } = await openAndClaim();
    await rows(`update generations set state = 'failed' where id = ${generation}`);
    await open({ question, token: otherListener });
    await leave();
    expect(await turns()).toEqual([{ message: question, token: otherListener }]);
    expect(await claim({ token: otherListener, by: otherProducer })).toMatchObject({ kind: "make" });
  });
});

describe("request_turn_stop", () => {
  const stop = (person = 1) => rows(`select * from request_turn_stop(1, ${person})`);

  it("has the maker of a private answer stop", async () => {
    const { generation, question } = await openAndClaim(free);
    expect(await stop()).toEqual([{ message_id: question, content: "Why?", is_private: true }]);
    expect(await value(`select stop_requested from generations where id = ${generation}`)).toBe(true);
  });

  it("ends a private answer without a producer as empty", async () => {
    const turn = await open(free);
    expect(await stop()).toMatchObject([{ message_id: turn["message_id"], is_private: true }]);
    expect(await messages()).toEqual(["Why?", ""]);
    expect(await value("select meta ->> 'stop' from chat_messages where role = 'assistant'")).toBe("stopped");
    expect(await claim({ shared: false })).toEqual({ kind: "lost" });
  });

  it("leaves an answer alone that a class waits for, also before its producer starts", async () => {
    await open();
    expect(await stop()).toMatchObject([{ is_private: false }]);
    await claim();
    expect(await stop()).toMatchObject([{ is_private: false }]);
    expect(await turns()).toHaveLength(1);
    expect(await messages()).toEqual(["Start."]);
  });

  it("returns nothing for another person's session, nor without a pending answer", async () => {
    expect(await stop()).toEqual([]);
    await open(free);
    expect(await stop(2)).toEqual([]);
  });
});

describe("the small ones", () => {
  it("listener_lease_duration and answer_time_limit bound a turn, the lease within the limit", async () => {
    expect(await value("select listener_lease_duration() < answer_time_limit()")).toBe(true);
    await open();
    expect(
      await value(
        "select answering_until - now() - listener_lease_duration() < interval '1 millisecond' from chat_sessions where id = 1",
      ),
    ).toBe(true);
  });

  it("milliseconds_since is whole and counts by the clock", async () => {
    const passed = Number(
      await value("select milliseconds_since(clock_timestamp() - interval '1.5 seconds')"),
    );
    expect(passed).toBeGreaterThanOrEqual(1500);
    expect(Number.isInteger(passed)).toBe(true);
  });

  it("joined_text is the chunks in their order, and empty of none", async () => {
    expect(await value(`select joined_text('["a", "", "b\\n", "ç"]')`)).toBe("ab\nç");
    expect(await value("select joined_text('[]')")).toBe("");
  });
});

describe("match_answer_named_by_message", () => {
  const question = { questionId: "q1", question: "Which?", options: [{ id: "A", text: "First" }] };
  const next = { ...question, questionId: "q2" };
  const choice = '{"answer":"A","questionId":"q1"}';
  /** An answer, or without `asks` the learner's message; its number is its id. */
  const say = (
    id: number,
    content: string,
    { asks = null as object | null, move = false, to = "null" } = {},
  ) =>
    rows(`insert into chat_messages (id, session_id, role, content, question, meta, in_reply_to_id)
      overriding system value values (${id}, 1, '${asks ? "assistant" : "user"}', '${content}',
        ${asks ? `'${JSON.stringify(asks)}'` : "null"}, '${move ? '{"move": "@hint"}' : "{}"}', ${to})`);
  const match = async (answers: number, content = choice, of = 1) =>
    (
      await rows(
        `select * from match_answer_named_by_message('${JSON.stringify({ answers, content, message: content })}', ${of})`,
      )
    )[0];

  it("has the last question, also that of the path, and the answers to moves that repeat it", async () => {
    expect(await match(1)).toEqual({ current: null, is_current: false, again: null });
    await say(1, "Which?", { asks: question });
    await say(3, "Look.", { asks: question, move: true });
    for (const named of [1, 3])
      expect(await match(named)).toEqual({ current: 3, is_current: true, again: null });
    for (const named of [2, 4]) expect(await match(named)).toMatchObject({ current: 3, is_current: false });
    expect(await match(1, choice, 2)).toEqual({ current: null, is_current: false, again: null });
    await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, aside_of_id, path_end_id)
      overriding system value values (3, 1, 1, '{}', 'content', 'content', 1, 3)`);
    expect(await match(1, choice, 3)).toMatchObject({ current: 3, is_current: true });
    await say(5, "And?", { asks: next });
    expect(await match(3)).toMatchObject({ current: 5, is_current: false });
    expect(await match(1, choice, 3)).toMatchObject({ current: 3, is_current: true });
  });

  it("has the message with the same choice before the next question, if it is answered or the newest", async () => {
    await say(1, "Which?", { asks: question });
    await say(2, choice);
    expect(await match(1)).toMatchObject({ is_current: true, again: 2 });
    expect(await match(1, "other")).toMatchObject({ is_current: true, again: null });
    await say(3, "other");
    expect(await match(1)).toMatchObject({ again: null });
    await say(4, "And?", { asks: next, to: "3" });
    expect(await match(1)).toMatchObject({ current: 4, is_current: false, again: null });
    expect(await match(1, "other")).toMatchObject({ is_current: false, again: 3 });
    await say(5, "other");
    expect(await match(4, "other")).toMatchObject({ is_current: true, again: 5 });
  });
});
