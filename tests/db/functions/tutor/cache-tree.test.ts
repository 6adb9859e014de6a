import { describe, expect, it } from "vitest";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { openSession } from "../session.ts";
import { listener, openConversations } from "./conversations.ts";

const session = openSession();
const { rows, column, value } = session;
const { openAndClaim, append, storeNode, standOn } = openConversations(session);

const choices = { '{"answer":"A","questionId":"q1"}': "A", '{"answer":"first","questionId":"q1"}': "A" };

describe("cache_node_ids_below", () => {
  it("are the children and theirs, without the node itself", async () => {
    await storeNode({ id: 1 });
    await storeNode({ id: 2, parent: 1, message: "a" });
    await storeNode({ id: 3, parent: 2, message: "b" });
    await storeNode({ id: 4, parent: 1, message: "c" });
    expect(await column("select * from cache_node_ids_below(1) order by 1")).toEqual([2, 3, 4]);
    expect(await column("select * from cache_node_ids_below(3)")).toEqual([]);
  });
});

/** 1 with 2 and 4 below it, and 3 below 2. */
async function smallTree(): Promise<void> {
  await storeNode({ id: 1 });
  await storeNode({ id: 2, parent: 1, message: "a" });
  await storeNode({ id: 3, parent: 2, message: "b" });
  await storeNode({ id: 4, parent: 1, message: "c" });
}

describe("lock_nodes_to_root_shared", () => {
  it("is the nodes from the root down, and empty above the root or for a deleted node", async () => {
    await smallTree();
    expect(await value("select lock_nodes_to_root_shared(3)")).toEqual([1, 2, 3]);
    expect(await value("select lock_nodes_to_root_shared(null)")).toEqual([]);
    expect(await value("select lock_nodes_to_root_shared(9)")).toEqual([]);
  });
});

describe("lock_node_and_subtree", () => {
  it("locks a node and all below it, and nothing else", async () => {
    await smallTree();
    // A row that this transaction has locked carries its number; one with children has been locked by their keys.
    const lockedLeaves = () =>
      column(
        "select id from cache_nodes where id in (3, 4) and xmax = pg_current_xact_id()::xid order by id",
      );
    expect(await lockedLeaves()).toEqual([]);
    await rows("select lock_node_and_subtree(2)");
    expect(await lockedLeaves()).toEqual([3]);
    await rows("select lock_node_and_subtree(1)");
    expect(await lockedLeaves()).toEqual([3, 4]);
  });
});

describe("purge_stored_answer_with_subtree", () => {
  it("deletes a node with its subtree and its generations; sessions there return to the root", async () => {
    await smallTree();
    await standOn(3);
    await standOn(4, 2);
    const { generation } = await openAndClaim({ content: "d" });
    expect(generation).toBeGreaterThan(0);
    await rows("select purge_stored_answer_with_subtree(2)");
    expect(await column("select id from cache_nodes order by id")).toEqual([1, 4]);
    expect(await column("select cache_node_id from chat_sessions order by id")).toEqual([null, 4]);
    expect(await value("select count(*)::int from generations")).toBe(0);
  });
});

describe("replace_and_pin_answer", () => {
  const replace = (keepChildren: boolean) =>
    rows(`select replace_and_pin_answer(
      1, '{"text": "By hand.", "question": {"questionId": "q1"}, "choices": {"a": "a"}}', 3, ${keepChildren})`);

  async function grownTree(): Promise<number> {
    await storeNode({ id: 1, choices: { a: "a" } });
    await storeNode({ id: 2, parent: 1, message: "a" });
    await standOn(2);
    await standOn(1, 2);
    const { generation } = await openAndClaim({ content: "b" });
    await append(generation, ["half "]);
    return generation;
  }

  it("deletes answers and generations from the former text, and moves their sessions before the root", async () => {
    await grownTree();
    await replace(false);
    expect(
      await rows("select id, chunks, answer, question, choices, edited_by, children_kept from cache_nodes"),
    ).toEqual([
      {
        id: 1,
        chunks: ["By hand."],
        answer: "By hand.",
        question: { questionId: "q1" },
        choices: { a: "a" },
        edited_by: 3,
        children_kept: false,
      },
    ]);
    expect(await value("select edited_at > created_at from cache_nodes")).toBe(true);
    expect(await column("select cache_node_id from chat_sessions order by id")).toEqual([null, null]);
    expect(await value("select count(*)::int from generations")).toBe(0);
  });

  it("keeps no children without an option of the new question, even on request", async () => {
    await grownTree();
    await replace(true);
    expect(await rows("select id, children_kept from cache_nodes order by id")).toEqual([
      { id: 1, children_kept: true },
    ]);
    expect(await column("select cache_node_id from chat_sessions order by id")).toEqual([null, null]);
    expect(await value("select count(*)::int from generations")).toBe(0);
  });

  it("leaves other generations in the tree unchanged", async () => {
    await storeNode({ id: 1 });
    const { generation } = await openAndClaim({ content: "Why?", message: null });
    await replace(false);
    expect(await column("select id from generations")).toEqual([generation]);
  });
});

describe("the invariants of the tree", () => {
  const violations = () => rows(`${treeViolationsQuery} order by rule, node_id`);

  /** Two nodes, a session on each, and an answer in the making below the second. */
  async function tree(): Promise<number> {
    await storeNode({ id: 1, choices });
    await storeNode({ id: 2, parent: 1, message: "A" });
    await standOn(1, 2);
    await standOn(2);
    const { generation } = await openAndClaim({ content: "B" });
    await append(generation, ["half "]);
    return generation;
  }

  it("are empty while every rule holds", async () => {
    await tree();
    expect(await violations()).toEqual([]);
  });

  const of = (rule: string, node_id: number | null, session_id: number | null = null) => [
    { rule, node_id, session_id },
  ];

  it.each([
    ["update cache_nodes set content_item_id = 2 where id = 2", "a child is of its parent's topic", 2],
    [
      "update cache_nodes set message = 'Begin.' where id = 1",
      "roots answer Start., and nothing else does",
      1,
    ],
    [
      "update cache_nodes set edited_at = created_at + interval '1 second' where id = 1",
      "a child was made from what its parent says",
      2,
    ],
    [
      `update cache_nodes set choices = '{"b": "B"}' where id = 1`,
      "a child answers what its parent offers",
      2,
    ],
  ])("%s: %s", async (break_it, rule, node) => {
    await tree();
    await rows(break_it);
    expect(await violations()).toContainEqual({ rule, node_id: node, session_id: null });
  });

  it("a whole answer is not empty", async () => {
    await storeNode({ chunks: [""] });
    expect(await violations()).toEqual(of("a whole answer is not empty", 1));
  });

  it("a generation has a producer while a subscriber waits", async () => {
    const generation = await tree();
    await rows("update chat_sessions set answering_since = now() - interval '16 seconds' where id = 1");
    expect(await violations()).toEqual([]);
    await rows(`update generations set lease_until = now() - interval '6 seconds' where id = ${generation}`);
    // Another answer of the same topic has a maker.
    await openAndClaim({ session: 2, content: "Why?", message: null });
    expect(await violations()).toEqual(
      of("an answer in the making has a maker while someone listens to it", null, 1),
    );
  });

  it("a lease ends with the time limit of its answer", async () => {
    await openAndClaim({ content: "Why?", message: null });
    await rows("update generations set maker_until = lease_until - interval '1 second'");
    expect(await violations()).toEqual(of("a lease ends with the time limit of its answer", null, 1));
  });

  it("chunks are stored only for the last draft of a generation", async () => {
    await tree();
    await rows("update generations set attempt = attempt + 1");
    expect(await violations()).toEqual(
      of("pieces are kept only of the last telling of an answer in the making", null),
    );
    await rows("update generations set attempt = attempt - 1, state = 'failed'");
    expect(await violations()).toHaveLength(1);
  });

  it("a generation has no node yet", async () => {
    await tree();
    await storeNode({ id: 3, parent: 2, message: "B" });
    expect(await violations()).toEqual(of("an answer in the making has no node yet", 3));
  });

  it("a cursor is at an answer of its topic", async () => {
    await storeNode();
    await standOn(1);
    await rows("update cache_nodes set content_item_id = 2");
    expect(await violations()).toEqual(of("a cursor stands on an answer of its own topic", 1, 1));
  });

  it("a cursor is at an answer that was sent, unless that was replaced later", async () => {
    await storeNode();
    await standOn(1);
    await rows(`update cache_nodes set chunks = '["Another text."]'`);
    expect(await violations()).toEqual(of("a cursor stands on an answer that was told", 1, 1));
    await rows("update cache_nodes set edited_at = now()");
    expect(await violations()).toEqual([]);
  });

  it("an answer belongs to a question of its session", async () => {
    await rows(`insert into chat_messages (session_id, role, content) values (2, 'user', 'Why?')`);
    await rows(`insert into chat_messages (session_id, role, content, in_reply_to_id)
      select 1, 'assistant', 'Because.', max(id) from chat_messages`);
    expect(await violations()).toEqual(of("an answer answers a question of its own session", null, 1));
    await rows("delete from chat_messages where role = 'assistant'");
    await rows("insert into chat_messages (session_id, role, content) values (2, 'assistant', 'Unasked.')");
    expect(await violations()).toEqual(of("an answer answers a question of its own session", null, 2));
  });

  it("ignores an open turn whose subscriber has a producer", async () => {
    await openAndClaim({ token: listener });
    expect(await violations()).toEqual([]);
  });
});
