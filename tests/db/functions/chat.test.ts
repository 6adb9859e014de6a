import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { rows, value } = openSession();

const token = "00000000-0000-4000-8000-000000000001";

/* Ada's session 1 about the content item 1. */
beforeEach(async () => {
  await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, content_fingerprint)
    overriding system value values (1, 1, 1, '{}', 'content')`);
});

const open = ({ person = 1, message = "Start.", kind = "start", zone = "UTC" } = {}) =>
  rows(`select * from open_turn(1, ${person}, '${message}', '${kind}', sha256_hex('${message}'), '${token}', 60, 'model',
    'tutor', 5, '${zone}', '2026-03-05', '2026-03-05T10:00Z', 3)`);

const storeRoot = () =>
  rows(`insert into cache_nodes (id, content_item_id, message, message_hash, prompt_name, prompt_version, model,
      prompt_fingerprint, content_fingerprint, chunks)
    overriding system value
    select 1, 1, 'Start.', sha256_hex('Start.'), name, version, 'model', plain_fingerprint, 'content', '["Hello, ", "Ada."]'
    from prompts where name = 'tutor'`);

describe("open_turn", () => {
  it("stores the message, takes the session's lease, and answers what answering takes", async () => {
    const [turn] = await open();
    expect(turn).toMatchObject({
      refusal: null,
      answer_id: null,
      shared: true,
      model: "model",
      candidates: [],
    });
    expect(turn?.["graph"]).toMatchObject({ prompts: [{ name: "tutor" }], links: [] });
    expect(await value("select answering_token from chat_sessions")).toBe(token);
    expect(await rows("select content from chat_messages")).toEqual([{ content: "Start." }]);
    expect(await rows("select verb from activity_events")).toEqual([{ verb: "asked" }]);
  });

  it("answers at once where the tree holds the answer, without a lease", async () => {
    await storeRoot();
    const [turn] = await open();
    expect(turn).toMatchObject({
      refusal: null,
      chunks: ["Hello, ", "Ada."],
      meta: { source: "cache", cache_node_id: 1 },
    });
    expect(await rows("select content from chat_messages order by id")).toEqual([
      { content: "Start." },
      { content: "Hello, Ada." },
    ]);
    expect(await rows("select cache_node_id, answering_token from chat_sessions")).toEqual([
      { cache_node_id: 1, answering_token: null },
    ]);
  });

  it("counts a day of the streak once", async () => {
    await rows("update users set last_activity_date = '2026-03-04', current_streak_days = 3 where id = 1");
    await storeRoot();
    await open();
    await open();
    expect(await value("select current_streak_days from users where id = 1")).toBe(4);
  });

  it("says why it did nothing, and does nothing", async () => {
    expect(await open({ person: 99 })).toEqual([]);
    expect(await open({ person: 2 })).toMatchObject([{ refusal: "not theirs" }]);
    expect(await open({ zone: "Asia/Tokyo" })).toMatchObject([
      { refusal: "another time zone", time_zone: "UTC" },
    ]);
    expect(await value("select count(*)::int from chat_messages")).toBe(0);
    await open();
    expect(await open()).toMatchObject([{ refusal: "being answered" }]);
  });

  it("leaves the tree with free text", async () => {
    expect(await open({ message: "Why?", kind: "free" })).toMatchObject([{ shared: false }]);
    expect(await value("select cache_state from chat_sessions")).toBe("diverged");
  });
});

describe("close_turn", () => {
  const close = (place: string) =>
    rows(`select id from close_turn(1, '${token}', (select max(id) from chat_messages), 'Hello.', '{}', true,
      ${place}, 1, '${token}', '["Hello."]', 3, 4)`);

  it("stores the answer and ends the lease", async () => {
    await open();
    expect(await close("null")).toHaveLength(1);
    expect(await value("select answering_token from chat_sessions")).toBeNull();
    expect(await value("select content from chat_messages where role = 'assistant'")).toBe("Hello.");
  });

  it("fills the node that it holds, and moves the cursor to it", async () => {
    await open();
    await storeRoot();
    await rows(`update cache_nodes set chunks = null, filling_token = '${token}', filling_until = now()`);
    await close("'filled'");
    expect(await rows("select chunks, filling_token, output_tokens from cache_nodes")).toEqual([
      { chunks: ["Hello."], filling_token: null, output_tokens: 4 },
    ]);
    expect(await value("select cache_node_id from chat_sessions")).toBe(1);
  });

  it("counts a hit of the node that gave the answer", async () => {
    await open();
    await storeRoot();
    await close("'hit'");
    expect(await rows("select node_id from cache_hits")).toEqual([{ node_id: 1 }]);
  });
});

describe("cache_tree_violations", () => {
  it("is empty while every rule holds, and names the rule and the node that do not", async () => {
    await storeRoot();
    expect(await rows("select * from cache_tree_violations()")).toEqual([]);
    await rows("update cache_nodes set message_hash = 'other', chunks = '[]'");
    expect(await rows("select * from cache_tree_violations() order by rule")).toEqual([
      { rule: "a node is found by the hash of its message", node_id: 1 },
      { rule: "a whole answer is not empty", node_id: 1 },
    ]);
  });
});
