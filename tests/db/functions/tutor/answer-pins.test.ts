import { describe, expect, it } from "vitest";
import { openSession } from "../session.ts";
import { openConversations } from "./conversations.ts";

const session = openSession();
const { rows, column, value } = session;
const { storeNode, pinNode } = openConversations(session);

/** Node 1 with node 2 below it, written by staff. */
async function editedTree(): Promise<void> {
  await storeNode({ id: 1 });
  await storeNode({ id: 2, parent: 1, message: "a", chunks: ["By hand."] });
  await rows(`update cache_nodes set edited_by = 3, edited_at = '2026-03-04Z' where id = 2`);
}

describe("message_path_to_node", () => {
  it("are the messages from the root down", async () => {
    await editedTree();
    expect(await value("select message_path_to_node(2)")).toEqual(["Start.", "a"]);
    expect(await value("select message_path_to_node(null)")).toEqual([]);
  });
});

describe("answer_pin_of_message_below_node", () => {
  it("is the pin for the messages of a path and the question that the last one answers", async () => {
    await editedTree();
    await pinNode(2);
    expect(
      await rows("select answer, pinned_by, path from answer_pin_of_message_below_node(1, 1, 'a')"),
    ).toEqual([{ answer: "By hand.", pinned_by: 3, path: ["Start.", "a"] }]);
    expect(await rows("select * from answer_pin_of_message_below_node(1, 1, 'b')")).toEqual([]);
    await rows(`update cache_nodes set question = '{"questionId": "q1", "options": []}' where id = 1`);
    expect(await rows("select * from answer_pin_of_message_below_node(1, 1, 'a')")).toEqual([]);
  });
});

describe("replace_and_pin_answer", () => {
  it("pins the text instead of the one pinned there before", async () => {
    await editedTree();
    for (const text of ["Good.", "Better."]) {
      await rows(`select replace_and_pin_answer(2, '{"text": "${text}"}', 3, null)`);
      expect(
        await rows("select answer, pinned_by, path from answer_pin_of_message_below_node(1, 1, 'a')"),
      ).toEqual([{ answer: text, pinned_by: 3, path: ["Start.", "a"] }]);
    }
    expect(await value("select count(*)::int from answer_pins")).toBe(1);
  });
});

describe("copy_course", () => {
  it("copies the pins of each item", async () => {
    await editedTree();
    await pinNode(2);
    await rows("select copy_course(1, '{}')");
    expect(
      await rows(`select coalesce(item.origin_item_id, item.id) as item, answer, pinned_by
        from answer_pins join content_items as item on item.id = content_item_id order by answer_pins.id`),
    ).toEqual([
      { item: 1, answer: "By hand.", pinned_by: 3 },
      { item: 1, answer: "By hand.", pinned_by: 3 },
    ]);
  });
});

describe("lock_answer_pins_of_item", () => {
  it("covers one topic, and is shared by writers of answers", async () => {
    const held = () =>
      rows(
        "select mode, count(*)::int as locks from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() group by 1 order by 1",
      );
    await rows(
      "select lock_or_try_lock_answer_pins_shared(1, true), lock_or_try_lock_answer_pins_shared(2, false)",
    );
    expect(await held()).toEqual([{ mode: "ShareLock", locks: 2 }]);
    await rows("select lock_answer_pins_of_item(1)");
    expect(await held()).toContainEqual({ mode: "ExclusiveLock", locks: 1 });
  });
});

describe("update_answer_pin_to_current_question", () => {
  const request = `'{"at": "2026-03-10T12:00:00Z", "id": "r"}'`;
  const confirm = (above: number, here: number | null) =>
    value(
      `select update_answer_pin_to_current_question((select max(id) from answer_pins), ${above}, ${here}, 2, ${request})`,
    );

  /** The question above node 2's pin has changed. */
  async function stale(): Promise<void> {
    await editedTree();
    await pinNode(2);
    await rows(`update cache_nodes set question = '{"questionId": "q9", "options": []}' where id = 1`);
    await rows(`update cache_nodes set chunks = '["By a model."]' where id = 2`);
  }

  it("binds the pin to the question of now, and has the answer in its place say it", async () => {
    await stale();
    expect(await confirm(1, 2)).toBe(true);
    expect(await rows("select answer, pinned_by from answer_pin_of_message_below_node(1, 1, 'a')")).toEqual([
      { answer: "By hand.", pinned_by: 2 },
    ]);
    expect(await value("select answer from cache_nodes where id = 2")).toBe("By hand.");
    expect(await column("select action from audit_events where action like 'tutor_%' order by 1")).toEqual([
      "tutor_answer.replaced",
      "tutor_pin.confirmed",
    ]);
  });

  it("does nothing if the answer above does not lead to it", async () => {
    await stale();
    expect(await confirm(2, null)).toBe(false);
    expect(await rows("select * from answer_pin_of_message_below_node(1, 1, 'a')")).toEqual([]);
  });

  it("delete_answer_pin drops one, once", async () => {
    await stale();
    const [pin] = await column("select id from answer_pins");
    await rows(`select delete_answer_pin(${pin}, 2, ${request})`);
    await rows(`select delete_answer_pin(${pin}, 2, ${request})`);
    expect(await value("select count(*)::int from answer_pins")).toBe(0);
    expect(await value("select count(*)::int from audit_events where action = 'tutor_pin.dropped'")).toBe(1);
  });
});
