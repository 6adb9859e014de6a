import { beforeEach, describe, expect, it } from "vitest";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { openSession } from "../session.ts";
import { openConversations } from "./conversations.ts";

const session = openSession();
const { rows, value } = session;
const { open, claim, finish, openAndClaim, storeNode, close } = openConversations(session);

beforeEach(async () => {
  await rows("select setval(pg_get_serial_sequence('cache_nodes', 'id'), 1000)");
  await rows("update content_items set tutor_mode = 'reviewed' where id = 1");
});

const request = `'{"at": "2026-03-10T12:00:00Z", "id": "r"}'`;

const asked = { questionId: "q1", question: "Which?", options: [{ id: "A", text: "First" }] };

/** Node 1 answers `Start.`, and waits. */
async function waiting() {
  await storeNode({ id: 1 });
  await rows("update cache_nodes set is_waiting = true");
}

describe("is_node_awaiting_approval", () => {
  it("holds of an answer that nobody approved, of an item whose answers are reviewed", async () => {
    await waiting();
    expect(await value("select is_node_awaiting_approval(1)")).toBe(true);
    expect(await value("select is_node_awaiting_approval(2)")).toBe(false);
    await rows("update content_items set tutor_mode = 'immediate'");
    expect(await value("select is_node_awaiting_approval(1)")).toBe(false);
  });
});

describe("an answer that waits", () => {
  it("is returned by neither open_turn nor claim_answer_generation: a learner gets a private answer, and stays in the tree", async () => {
    await waiting();
    const turn = await open();
    expect(turn).toMatchObject({ kind: "open", shared: false });
    expect(await value("select cache_state from chat_sessions where id = 1")).toBe("tracking");
    // A turn that was opened before the answer existed still claims a shared one.
    expect(await claim()).toMatchObject({ kind: "path gone" });
    expect(await claim({ shared: false })).toMatchObject({ kind: "make" });
    expect(await value("select count(*)::int from generations where question_id is null")).toBe(0);
    expect(await rows(treeViolationsQuery)).toEqual([]);
  });

  it("is stored by finish_generation_and_store_answer, and end_waiting_turns_of_generation moves no session there", async () => {
    const { question, generation } = await openAndClaim();
    await finish(generation, ["Hello."], { question: asked, choices: { a: "a" } });
    expect(await rows("select is_waiting, answer from cache_nodes")).toEqual([
      { is_waiting: true, answer: "Hello." },
    ]);
    const [told] = await close(question, generation);
    expect(told).toMatchObject({ content: "Hello.", meta: { path: "lost" } });
    expect(await rows("select cache_node_id, cache_state from chat_sessions where id = 1")).toEqual([
      { cache_node_id: null, cache_state: "tracking" },
    ]);
    expect(
      await rows(
        "select on_shared_path, cache_node_id, question from chat_messages where role = 'assistant'",
      ),
    ).toEqual([{ on_shared_path: false, cache_node_id: null, question: asked }]);
    expect(await value("select count(*)::int from cache_visits")).toBe(0);
    expect(await rows(treeViolationsQuery)).toEqual([]);
  });

  it("is sent by end_waiting_turns_of_generation if staff approved it before a subscriber's turn was closed", async () => {
    const { question, generation } = await openAndClaim();
    await finish(generation, ["Hello."]);
    const node = Number(await value("select id from cache_nodes"));
    expect(await value(`select approve_stored_answer(${node}, null, 1, ${request})`)).toBeNull();
    const [told] = await close(question, generation);
    expect(told).not.toHaveProperty("meta.path");
    expect(await value("select cache_node_id::int from chat_sessions where id = 1")).toBe(node);
  });
});

describe("approve_stored_answer", () => {
  it("approves once, audited, and rejects a deleted node and another version", async () => {
    await waiting();
    expect(await value(`select approve_stored_answer(2, null, 1, ${request})`)).toBe("gone");
    expect(await value(`select approve_stored_answer(1, '{7}', 1, ${request})`)).toBe("changed");
    expect(await value(`select approve_stored_answer(1, '{1}', 1, ${request})`)).toBeNull();
    expect(await value(`select approve_stored_answer(1, null, 1, ${request})`)).toBeNull();
    expect(await rows("select is_waiting, version from cache_nodes")).toEqual([
      { is_waiting: false, version: 2 },
    ]);
    expect(await rows("select action, details from audit_events")).toEqual([
      { action: "tutor_answer.approved", details: { content_item_id: 1, node_id: 1 } },
    ]);
    expect(await open()).toMatchObject({ id: expect.any(Number), chunks: expect.any(Array) });
  });
});
