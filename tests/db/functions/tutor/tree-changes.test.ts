import { beforeEach, describe, expect, it } from "vitest";
import { treeAnswersByLearnerForm } from "../../../../lib/tutor/dialogue/choices.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { openSession } from "../session.ts";
import { openConversations } from "./conversations.ts";

const session = openSession();
const { rows, column, value } = session;
const { openAndClaim, storeNode, standOn } = openConversations(session);

const request = `'{"at": "2026-03-10T12:00:00Z", "id": "r"}'`;
const sql = (thing: unknown) => (thing === null ? "null" : `'${JSON.stringify(thing)}'::jsonb`);
const say = (answer: string) => JSON.stringify({ answer, questionId: "q1" });

const asking = (...texts: string[]) => ({
  questionId: "q1",
  question: "Which?",
  options: texts.map((text, index) => ({ id: "ABC".charAt(index), text })),
});
const question = asking("First", "Second");

/** Node 1 asks, 2 and 3 answer A and B, 4 is below 2. Session 1 is at node 1, session 2 at 2. */
beforeEach(async () => {
  await rows("select setval(pg_get_serial_sequence('cache_nodes', 'id'), 1000)");
  await storeNode({ id: 1, choices: treeAnswersByLearnerForm(question) });
  await rows(`update cache_nodes set question = ${sql(question)}`);
  await storeNode({ id: 2, parent: 1, message: say("A") });
  await storeNode({ id: 3, parent: 1, message: say("B") });
  await storeNode({ id: 4, parent: 2, message: "on" });
  await standOn(1);
  await standOn(1, 2);
  await standOn(2, 2);
});

const replace = (
  asks: typeof question | null,
  keep: boolean | null = null,
  { node = 1, expected = "null" } = {},
) =>
  value(`select replace_and_pin_answer(
    ${node}, ${sql({ text: "By hand.", question: asks, choices: asks && treeAnswersByLearnerForm(asks) })}, 3, ${keep}, ${expected}, ${request})`);
const purge = (node: number) =>
  value(`select purge_stored_answer_with_subtree(${node}, null, 3, ${request})`);
const undo = (change: string) => value(`select undo_tree_change(${change}, 1, 2, ${request})`);
const last = "(select max(id) from tree_changes)";

const nodes = () => column("select id from cache_nodes order by id");
const cursors = () => column("select cache_node_id from chat_sessions order by id");
const whole = () =>
  rows(`select id, parent_id, chunks, question, choices, edited_by, edited_at, hit_count, message
        from cache_nodes order by id`);

describe("replace_and_pin_answer", () => {
  it("keeps the subtree, all cursors and generations if the question stays the same", async () => {
    const { generation } = await openAndClaim({ session: 2, content: "further", message: "further" });
    expect(await replace({ ...question, options: question.options.toReversed() })).toBeNull();
    expect(await nodes()).toEqual([1, 2, 3, 4]);
    expect(await cursors()).toEqual([1, 2]);
    expect(await column("select id from generations")).toEqual([generation]);
    expect(await column(treeViolationsQuery)).toEqual([]);
  });

  it("drops the subtree on request, and leaves the cursors if the question is the same", async () => {
    await replace(question, false);
    expect(await nodes()).toEqual([1]);
    expect(await cursors()).toEqual([1, null]);
  });

  it("drops the subtree of another question, except for unchanged options", async () => {
    await replace(asking("First", "Another"), true);
    expect(await nodes()).toEqual([1, 2, 4]);
    expect(await cursors()).toEqual([null, 2]);
    await replace(asking("Another", "First"));
    expect(await nodes()).toEqual([1]);
  });

  it("keeps the former question for learners who answered it", async () => {
    await replace(null);
    expect(
      await column("select question from chat_messages where session_id = 1 and role = 'assistant'"),
    ).toEqual([question]);
  });

  it("rejects a deleted node, and another version", async () => {
    expect(await replace(question, null, { node: 99 })).toBe("gone");
    expect(await replace(question, null, { expected: "'{2,3}'" })).toBe("changed");
    expect(await replace(question, null, { expected: "'{1}'" })).toBeNull();
    expect(await value("select version from cache_nodes where id = 1")).toBe(2);
  });

  it("pins the text, records the change, and audits it", async () => {
    await replace(question);
    expect(await column("select answer from answer_pins")).toEqual(["By hand."]);
    expect(await rows("select action, node_id, path, removed_count, changed_by from tree_changes")).toEqual([
      { action: "replaced", node_id: 1, path: ["Start."], removed_count: 0, changed_by: 3 },
    ]);
    expect(
      await rows("select action, actor_id, details from audit_events where action like 'tutor_answer.%'"),
    ).toEqual([
      { action: "tutor_answer.replaced", actor_id: 3, details: { content_item_id: 1, node_id: 1 } },
    ]);
  });
});

describe("purge_stored_answer_with_subtree", () => {
  it("unpins the node, and leaves the pins below it standing", async () => {
    await replace(null, null, { node: 2 });
    await replace(null, null, { node: 1 });
    await replace(question, null, { node: 1 });
    expect(await value("select count(*)::int from answer_pins")).toBe(2);
    expect(await purge(1)).toBeNull();
    expect(await column("select path from answer_pins")).toEqual([["Start.", say("A")]]);
    expect(await purge(1)).toBe("gone");
  });
});

describe("undo_tree_change", () => {
  it("cancels a generation where an answer returns, and no others", async () => {
    await purge(4);
    const again = await openAndClaim({ session: 2, content: "on", message: "on" });
    const { generation } = await openAndClaim({ session: 1, content: "further", message: "further" });
    expect(again.generation).not.toBe(generation);
    expect(await undo(last)).toBeNull();
    expect(await nodes()).toEqual([1, 2, 3, 4]);
    expect(await column("select id from generations")).toEqual([generation]);
    expect(await column(treeViolationsQuery)).toEqual([]);
  });

  it("restores the text, its subtree, and the former pin", async () => {
    const before = await whole();
    await replace(null);
    expect(await nodes()).toEqual([1]);
    expect(await undo(last)).toBeNull();
    expect(await whole()).toEqual(before);
    expect(await value("select version from cache_nodes where id = 1")).toBe(3);
    expect(await value("select count(*)::int from answer_pins")).toBe(0);
    expect(await value("select count(*)::int from audit_events where action = 'tutor_answer.restored'")).toBe(
      1,
    );
  });

  it("restores a purged subtree, and replaces answers stored there since", async () => {
    const before = await whole();
    await purge(1);
    await storeNode({ id: 7 });
    await storeNode({ id: 8, parent: 7, message: "else" });
    expect(await undo(last)).toBeNull();
    expect(await whole()).toEqual(before);
  });

  it("brings back the pin that was purged with its node", async () => {
    await replace(question);
    await purge(1);
    await undo(last);
    expect(await column("select answer from answer_pins")).toEqual(["By hand."]);
  });

  it("takes back one change after the other, the last one first, and each once", async () => {
    await replace(question);
    await replace(question, null);
    const first = "(select min(id) from tree_changes)";
    expect(await undo(first)).toBe("changed");
    expect(await undo(last)).toBeNull();
    expect(await undo(last)).toBe("undone");
    expect(await undo(first)).toBeNull();
    expect(await column("select answer from cache_nodes where id = 1")).toEqual(["Hello, Ada."]);
    expect(await undo("99")).toBe("gone");
  });

  it("is rejected if the path is gone, or its data was deleted", async () => {
    await purge(4);
    const purged = await value(`select ${last}`);
    await purge(2);
    expect(await undo(String(purged))).toBe("changed");
    await rows("update tree_changes set removed = null");
    expect(await undo(last)).toBe("forgotten");
  });
});

describe("set_answer_key_of_node_question", () => {
  const key = (node: number, answer: string, expected = "null") =>
    value(
      `select set_answer_key_of_node_question(${node}, '{"answer": "${answer}"}', ${sql(treeAnswersByLearnerForm(question))}, 3, ${expected}, ${request})`,
    );

  it("drops the subtree if another option is correct, and undo_tree_change restores it", async () => {
    expect(await key(1, "A")).toBeNull();
    expect(await nodes()).toEqual([1, 2, 3, 4]);
    expect(await key(1, "B")).toBeNull();
    expect(await nodes()).toEqual([1]);
    expect(await cursors()).toEqual([1, null]);
    expect(await undo(last)).toBeNull();
    expect(await nodes()).toEqual([1, 2, 3, 4]);
    expect(await value("select question_key from cache_nodes where id = 1")).toEqual({ answer: "A" });
    expect(await column(treeViolationsQuery)).toEqual([]);
  });

  it("is rejected if the node was deleted, or has another version", async () => {
    expect(await key(99, "A")).toBe("gone");
    expect(await key(1, "A", "'{7}'")).toBe("changed");
  });

  it("is made of is_right_option_changed and apply_answer_key_to_node", async () => {
    expect(await value(`select is_right_option_changed(null, '{"answer": "A"}')`)).toBe(false);
    expect(
      await value(`select is_right_option_changed('{"answer": "A"}', '{"answer": "A", "skill": "s"}')`),
    ).toBe(false);
    expect(await value(`select is_right_option_changed('{"answer": "A"}', null)`)).toBe(true);
    await rows(
      `select apply_answer_key_to_node(node, '{"answer": "B"}', null, '{}') from cache_nodes as node where id = 1`,
    );
    expect(await value("select question_key from cache_nodes where id = 1")).toEqual({ answer: "B" });
  });
});

describe("the parts of a change", () => {
  const node = (id: number) => `(select node from cache_nodes as node where id = ${id})`;

  it("child_messages_to_keep are all below the same question, and below another those of the same options", async () => {
    const kept = (asks: typeof question | null, keep: boolean | null, of = node(1)) =>
      value(
        `select child_messages_to_keep(${of}, jsonb_populate_record(null::cache_nodes, ${sql({
          question: asks,
          choices: asks && treeAnswersByLearnerForm(asks),
        })}), ${keep})`,
      );
    expect(await kept(question, null)).toBeNull();
    expect(await kept(question, true)).toBeNull();
    expect(await kept(question, false)).toEqual([]);
    expect(await kept(null, true)).toEqual([]);
    const other = { ...question, question: "Else?" };
    expect(await kept(other, null)).toEqual([]);
    expect(await kept(other, true)).toEqual([say("A"), say("B")]);
    expect(await kept(asking("Else", "Second"), true)).toEqual([say("B")]);
    expect(
      await kept({ ...other, options: asking("First", "Second", "Third").options.slice(0, 1) }, true),
    ).toEqual([say("A")]);
    expect(await kept({ ...other, questionId: "q2" }, true)).toEqual([]);
    expect(await kept(question, true, "null")).toEqual([]);
  });

  it("store_tree_change_for_undo keeps what is deleted without its address, and audit_tree_change names the item", async () => {
    await rows(`select store_tree_change_for_undo('purged', ${node(2)}, '{2}', null, 3, ${request})`);
    expect(await rows("select action, removed_count, former_pin from tree_changes")).toEqual([
      { action: "purged", removed_count: 2, former_pin: null },
    ]);
    const removed = (await value("select removed from tree_changes")) as { id: number; answer?: string }[];
    expect(removed.map(({ id, answer }) => [id, answer])).toEqual([
      [2, undefined],
      [4, undefined],
    ]);
    await rows(`select audit_tree_change('tutor_pin.dropped', 1, null, 3, ${request})`);
    expect(await value("select details from audit_events where action = 'tutor_pin.dropped'")).toEqual({
      content_item_id: 1,
    });
  });

  it("lock_node_and_check_version, apply_new_answer_to_node, detach_sessions_from_nodes", async () => {
    expect(await rows("select refusal, (node).id from lock_node_and_check_version(1, true, '{1}')")).toEqual([
      { refusal: null, id: 1 },
    ]);
    await rows(
      `select apply_new_answer_to_node(${node(2)}, jsonb_populate_record(null::cache_nodes, '{"chunks": ["New."], "is_waiting": false}'), '{}', '{4}', false)`,
    );
    expect(await nodes()).toEqual([1, 2, 3]);
    await rows("select detach_sessions_from_nodes('{2}', 2, false)");
    expect(await cursors()).toEqual([1, null]);
  });

  it("restore_deleted_nodes brings rows back once, and leaves what has their place", async () => {
    await purge(2);
    const gone = JSON.stringify(await value("select removed from tree_changes"));
    expect(await nodes()).toEqual([1, 3]);
    await rows(`select restore_deleted_nodes('${gone}')`);
    expect(await nodes()).toEqual([1, 2, 3, 4]);
    const others = gone.replaceAll('"id": 2', '"id": 50').replaceAll('"id":2', '"id":50');
    await rows(`select restore_deleted_nodes('${others}')`);
    expect(await nodes()).toEqual([1, 2, 3, 4]);
  });

  it("refusal_to_undo_tree_change is null for the last change of a node", async () => {
    await replace(null);
    expect(await value("select refusal_to_undo_tree_change(change) from tree_changes as change")).toBeNull();
  });
});
