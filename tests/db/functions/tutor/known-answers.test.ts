import { beforeEach, describe, expect, it } from "vitest";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { openSession } from "../session.ts";
import { openConversations, tutorVersion } from "./conversations.ts";

const session = openSession();
const { rows, column, value } = session;
const { open, claim, openAndClaim, storeNode, pinNode } = openConversations(session);

const key = `select plain_fingerprint from prompts where name = 'tutor' and version = ${tutorVersion}`;
/** An answer that is not stored yet. */
const at = (message: string, { item = 1, parent = "null", content = "taught" } = {}) =>
  `unsaved_cache_node(${item}, ${parent}, '${message}', 'tutor', ${tutorVersion}, 'model', (${key}), '${content}')`;

const asked = {
  question: { questionId: "q1", question: "Which?", options: [{ id: "A", text: "First" }] },
  choices: { a: "a" },
};

/** Learners of item 1 ask under a key that differs from the stored nodes' key "content". */
beforeEach(async () => {
  await rows("select setval(pg_get_serial_sequence('cache_nodes', 'id'), 1000)");
  await rows("update chat_sessions set item_fingerprint = 'taught', surroundings_fingerprint = 'around'");
});

const known = (message = "Start.", { item = 1, parent = "null", waits = true } = {}) =>
  value(`select find_or_copy_known_answer(${at(message, { item, parent })}, ${waits})`);

/** Item 2 is a copy of item 1, made a moment later, which had answered `Start.` and "a". */
async function copied() {
  await storeNode({ id: 1, choices: asked.choices });
  await storeNode({ id: 2, parent: 1, message: "a", chunks: ["Right."] });
  await rows("update cache_nodes set content_fingerprint = 'taught', created_at = '2026-03-01Z'");
  await rows("update content_items set origin_item_id = 1, created_at = '2026-03-02Z' where id = 2");
}

/** Staff pin their answer to `Start.` in another version of the prompt. */
async function pinRoot() {
  await storeNode({ id: 1, chunks: ["By hand."] });
  await rows("update cache_nodes set edited_by = 3, edited_at = now(), prompt_version = 2 where id = 1");
  await pinNode(1);
}

describe("unsaved_cache_node", () => {
  it("has the address of the node that is stored there", async () => {
    await storeNode({ id: 1 });
    await storeNode({ id: 2, parent: 1, message: "a" });
    const nodeAt = (wanted: string) =>
      column(`select id from cache_nodes where node_key = (${wanted}).node_key`);
    expect(await nodeAt(at("Start.", { content: "content" }))).toEqual([1]);
    expect(await nodeAt(at("a", { parent: "1", content: "content" }))).toEqual([2]);
    expect(await nodeAt(at("Start."))).toEqual([]);
  });
});

describe("find_or_copy_known_answer", () => {
  it("cancels a dead producer's generation there, unless it is just ending", async () => {
    const { generation } = await openAndClaim();
    await rows(`update generations set lease_until = now() - interval '1 minute' where id = ${generation}`);
    await pinRoot();
    expect(await open({ session: 2 })).toMatchObject({ meta: { source: "cache" }, chunks: ["By hand."] });
    expect(await column("select id from generations")).toEqual([]);
    expect(await column(treeViolationsQuery)).toEqual([]);
  });

  it("is younger than an edit of its parent that came between", async () => {
    await storeNode({ id: 1 });
    await storeNode({ id: 2, parent: 1, message: "a", chunks: ["Pinned."] });
    await rows("update cache_nodes set content_fingerprint = 'taught', edited_by = 3, edited_at = now()");
    await pinNode(2);
    // In one transaction, as the statement that finds it may have begun before the edit.
    await rows(`do $do$ begin
      perform replace_and_pin_answer(1, '{"text": "By hand."}', 3, false);
      perform find_or_copy_known_answer(${at("a", { parent: "1" })}, true);
    end $do$`);
    expect(await column("select answer from cache_nodes order by id")).toEqual(["By hand.", "Pinned."]);
    expect(await column(treeViolationsQuery)).toEqual([]);
  });

  it("is a staff pin, as a separate node, without a call", async () => {
    await pinRoot();
    const turn = await open();
    expect(turn).toMatchObject({ meta: { source: "cache" }, chunks: ["By hand."] });
    expect(await rows("select prompt_version, edited_by from cache_nodes order by id")).toEqual([
      { prompt_version: 2, edited_by: 3 },
      { prompt_version: tutorVersion, edited_by: 3 },
    ]);
  });

  it("is no pin whose question is another", async () => {
    await storeNode({ id: 1, choices: asked.choices });
    await storeNode({ id: 2, parent: 1, message: "a" });
    await rows("update cache_nodes set edited_by = 3, edited_at = now(), prompt_version = 2 where id = 2");
    await pinNode(2);
    expect(await known("a", { parent: "1" })).not.toBeNull();
    await rows("delete from cache_nodes where id > 2");
    await rows(`update cache_nodes set question = '${JSON.stringify(asked.question)}' where id = 1`);
    expect(await known("a", { parent: "1" })).toBeNull();
  });

  it("is found while a claim locks the path", async () => {
    await open();
    await pinRoot();
    expect(await claim()).toMatchObject({ kind: "stored", id: expect.any(Number) });
    expect(await value("select count(*)::int from generations")).toBe(0);
  });
});

describe("the answer of an original item", () => {
  it("is that of the original, from the root down, and each names the one it came from", async () => {
    await copied();
    const root = await known("Start.", { item: 2 });
    const child = await known("a", { item: 2, parent: String(root) });
    expect(
      await rows("select id, origin_node_id, answer, visit_count from cache_nodes where id > 2 order by id"),
    ).toEqual([
      { id: root, origin_node_id: 1, answer: "Hello, Ada.", visit_count: 0 },
      { id: child, origin_node_id: 2, answer: "Right.", visit_count: 0 },
    ]);
    expect(await column(treeViolationsQuery)).toEqual([]);
  });

  it.each([
    ["was stored after the copy was made", "update cache_nodes set created_at = '2026-03-03Z' where id = 2"],
    ["was edited after the copy was made", "update cache_nodes set edited_at = '2026-03-03Z' where id = 2"],
    ["follows an answer that the copy changed", "update cache_nodes set version = 2 where id > 2"],
    [
      "follows an answer that the original changed",
      `update cache_nodes set chunks = '["New."]' where id = 1`,
    ],
    ["was not offered", "update cache_nodes set choices = null where id > 2"],
  ])("excludes one that %s", async (_, change) => {
    await copied();
    const root = await known("Start.", { item: 2 });
    await rows(change);
    expect(await known("a", { item: 2, parent: String(root) })).toBeNull();
  });

  it("excludes one of another fingerprint", async () => {
    await copied();
    await rows("update cache_nodes set content_fingerprint = 'other'");
    expect(await known("Start.", { item: 2 })).toBeNull();
  });
});

describe("origins_of_copied_item", () => {
  it("are at most ten copies back, each in its state at the first copy", async () => {
    const chain = Array.from({ length: 12 }, (_, index) => index + 10);
    for (const id of chain)
      await rows(`insert into content_items (id, module_id, course_id, university_id, content_type_id, title,
          sequence_index, data_json, origin_item_id, created_at)
        overriding system value
        select ${id}, 2, 1, 1, content_type_id, title, ${id}, '{}', ${id === 10 ? 1 : id - 1}, '2026-03-${id}Z'
        from content_items where id = 1`);
    const origins = await rows(
      "select id, copies, as_of::date::text from origins_of_copied_item(21) order by copies",
    );
    expect(origins).toHaveLength(10);
    expect(origins[0]).toEqual({ id: 20, copies: 1, as_of: "2026-03-21" });
    expect(origins.at(-1)).toEqual({ id: 11, copies: 10, as_of: "2026-03-12" });
  });
});

describe("find_or_copy_known_answer without a pin or an original", () => {
  it("makes no node", async () => {
    expect(await known("Start.", { waits: false })).toBeNull();
    expect(await column("select id from cache_nodes")).toEqual([]);
  });
});
