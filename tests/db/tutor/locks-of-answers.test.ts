import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { treeViolationsQuery } from "../../../proof/chaos/tree-violations.ts";
import { cloneDatabase, type Row, type TestDatabase } from "../../support/database.ts";
import { conversationsOf, listener, twoSessions } from "../functions/tutor/conversations.ts";

let database: TestDatabase;
let one: Connection;
let other: Connection;

beforeEach(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(twoSessions);
  [one, other] = await Promise.all([connect(), connect()]);
});

afterEach(async () => {
  await Promise.all([one.end(), other.end()]);
  await database.drop();
});

type Connection = Awaited<ReturnType<typeof connect>>;

/** A connection, and its actions in the conversations. */
async function connect() {
  const client = new pg.Client(database.url);
  // Its statements fail when the database is dropped.
  client.on("error", () => {});
  await client.connect();
  const rows = async (statement: string): Promise<Row[]> => (await client.query(statement)).rows;
  const value = async (statement: string) => Object.values((await rows(statement))[0] ?? {})[0];
  const pid = Number(await value("select pg_backend_pid()"));
  return { rows, value, pid, end: () => client.end(), ...conversationsOf({ rows, value }) };
}

/** Waits until that connection waits for a lock. */
const waits = ({ pid }: Connection) =>
  expect
    .poll(async () => {
      const [row] = await database.run(`select wait_event_type from pg_stat_activity where pid = ${pid}`);
      return row?.["wait_event_type"];
    })
    .toBe("Lock");

const free = { content: "Why?", message: null };

describe("two subscribers in one session", () => {
  it("store the answer once that both find in the tree", async () => {
    await one.open();
    await one.storeNode();
    await one.rows("begin");
    expect(await one.claim()).toMatchObject({ kind: "stored", id: expect.any(Number) });
    const second = other.claim();
    await waits(other);
    await one.rows("commit");
    expect(await second).toEqual({ kind: "lost" });
    expect(await one.value("select count(*)::int from chat_messages where role = 'assistant'")).toBe(1);
  });

  it("make a private answer once", async () => {
    await one.open(free);
    await one.rows("begin");
    const first = await one.claim({ shared: false });
    const second = other.claim({ shared: false });
    await waits(other);
    await one.rows("commit");
    expect(first).toMatchObject({ kind: "make" });
    expect(await second).toEqual({ kind: "follow", generation: first["generation"] });
  });
});

describe("a message that waits for its session", () => {
  const changes = {
    "the learner is deactivated": "update users set is_active = false where id = 1",
    "the university is deactivated": "update universities set is_active = false",
    "the learner's tokens end": "update users set token_version = token_version + 1 where id = 1",
  };
  for (const [change, statement] of Object.entries(changes))
    it(`is refused if ${change} before it gets the lock`, async () => {
      await one.rows("begin");
      await one.rows("select from chat_sessions where id = 1 for update");
      const opened = other.open(free);
      await waits(other);
      await one.rows(statement);
      await one.rows("commit");
      expect(await opened).toMatchObject({ kind: "refused" });
      expect(await one.value("select count(*)::int from chat_messages")).toBe(0);
    });
});

describe("a session that is being deleted", () => {
  it("has no answer to be claimed any more", async () => {
    await one.open(free);
    await one.rows("begin");
    await one.rows("delete from chat_sessions where id = 1");
    const claimed = other.claim({ shared: false });
    await waits(other);
    await one.rows("commit");
    expect(await claimed).toEqual({ kind: "lost" });
  });

  it("takes its private answer along, also while that is being stored", async () => {
    const { generation } = await one.openAndClaim(free);
    await one.rows("begin");
    await one.rows("select from chat_sessions where id = 1 for update");
    const finished = other.finish(generation, ["Because."]);
    await waits(other);
    await one.rows("delete from chat_sessions where id = 1");
    await one.rows("commit");
    expect(await finished).toEqual([]);
  });
});

describe("a node that is being purged", () => {
  /** The root 1 with 2 below it; session 1 is at the root. */
  async function tree(): Promise<void> {
    await one.storeNode({ id: 1 });
    await one.storeNode({ id: 2, parent: 1, message: "A" });
    await one.standOn(1);
  }

  it("does not block opening a turn: it counts as a miss", async () => {
    await tree();
    await one.rows("begin");
    await one.rows("select lock_node_and_subtree(1)");
    expect(await other.open()).toMatchObject({ kind: "open", shared: true, token: listener });
    await one.rows("select purge_stored_answer_with_subtree(1)");
    await one.rows("commit");
    expect(await other.value("select cache_node_id from chat_sessions where id = 1")).toBeNull();
  });

  /** Purges the learner's node during their claim of a private answer; returns the claim's result. */
  async function purgeDuring(claim: () => Promise<Row>): Promise<Row> {
    await one.rows("begin");
    await one.rows("select lock_node_and_subtree(100)");
    const claimed = await claim();
    await one.rows("select purge_stored_answer_with_subtree(100)");
    await one.rows("commit");
    return claimed;
  }

  it("does not block the end of a stopped answer without a producer", async () => {
    await one.storeNode({ id: 100 });
    await one.standOn(100);
    const { generation, question } = await one.openAndClaim(free);
    await one.append(generation, ["Because"]);
    await one.lapse(generation);
    await one.rows("select request_turn_stop(1, 1)");
    const claimed = await purgeDuring(() => other.claim({ shared: false }));
    expect(claimed).toEqual({ kind: "follow", generation });
    const said = await one.value(`select content from chat_messages where in_reply_to_id = ${question}`);
    expect(said).toBe("Because");
  });

  it("does not block a claim above the budget", async () => {
    await one.storeNode({ id: 100 });
    await one.standOn(100);
    await one.open(free);
    const claimed = await purgeDuring(() => other.claim({ shared: false, budget: { turns_per_day: 0 } }));
    expect(claimed).toMatchObject({ kind: "refused", by: expect.any(String) });
  });

  it("includes an answer that just ended, whose subscribers then claim a private one", async () => {
    await one.storeNode({ id: 100 });
    await one.standOn(100);
    const { generation, question } = await one.openAndClaim({ content: "A" });
    await one.finish(generation, ["Yes."]);
    const node = Number(await one.value(`select node_id from generations where id = ${generation}`));
    await one.rows("begin");
    await one.rows(`select from cache_nodes where id = ${node} for update`);
    const closed = other.close(question, generation);
    await waits(other);
    await one.rows("select purge_stored_answer_with_subtree(100)");
    await one.rows("commit");
    expect(await closed).toEqual([]);
    expect(await one.value("select cache_node_id from chat_sessions where id = 1")).toBeNull();
    expect(await one.claim({ parent: 100, message: "A" })).toMatchObject({ kind: "path gone" });
  });

  it("is a missing path for a concurrent claim of an answer below it", async () => {
    await tree();
    await one.standOn(2);
    await one.open({ content: "B" });
    await one.rows("begin");
    await one.rows("select from cache_nodes where id = 1 for update");
    const claimed = other.claim({ parent: 2, message: "B" });
    await waits(other);
    await one.rows("select replace_and_pin_answer(1, jsonb_build_object('text', 'By hand.'), 3, false)");
    await one.rows("commit");
    expect(await claimed).toEqual({ kind: "path gone" });
  });
});

describe("an account that is being erased", () => {
  const erase = async (by: Connection) => {
    await by.value(`select erase_account(1, 0, false, '{"at": "2026-03-05T10:00Z"}')`);
    return by.value("select process_next_account_erasure_step('2026-03-05T10:05Z', 50)");
  };
  const ownNode = { id: 2, parent: 1, message: "My own words" };

  it("waits for its sessions, and is not locked before it has them", async () => {
    await one.rows("begin");
    await one.rows("select from chat_sessions where id = 1 for update");
    const erased = erase(other);
    await waits(other);
    await one.rows("update users set current_streak_days = 3 where id = 1");
    await one.rows("commit");
    expect(await erased).toBe(true);
  });

  it("waits for the nodes of its texts, and locks none of its sessions before it has them", async () => {
    await one.storeNode({ id: 1 });
    await one.storeNode(ownNode);
    await one.standOn(2);
    await one.rows("begin");
    await one.rows("select lock_nodes_to_root_shared(2)");
    const erased = erase(other);
    await waits(other);
    await one.rows("select from chat_sessions where id = 1 for update");
    await one.rows("commit");
    expect(await erased).toBe(true);
    expect(await one.rows("select id from cache_nodes")).toEqual([{ id: 1 }]);
  });

  it("includes answers that end while it waits", async () => {
    await one.storeNode({ id: 1 });
    await one.standOn(1);
    await one.rows("begin");
    await one.rows("select from chat_sessions where id = 1 for update");
    const erased = erase(other);
    await waits(other);
    await one.storeNode(ownNode);
    await one.standOn(2);
    await one.rows("commit");
    expect(await erased).toBe(true);
    expect(await one.rows("select id from cache_nodes")).toEqual([{ id: 1 }]);
  });

  it("returns for answers that are just ending, instead of leaving them behind", async () => {
    await one.storeNode({ id: 1 });
    await one.storeNode(ownNode);
    await one.standOn(1);
    await one.rows("begin");
    await one.rows("select from chat_sessions where id = 1 for update");
    const erased = erase(other);
    await waits(other);
    // Like `end_waiting_turns_of_generation`: it locks the node, then waits for the session.
    const third = await connect();
    await third.rows("begin");
    await third.rows("select from cache_nodes where id = 2 for share");
    await one.standOn(2);
    await one.rows("commit");
    expect(await erased).toBe(true);
    await third.end();
    expect(await one.value("select process_next_account_erasure_step('2026-03-05T10:05Z', 50)")).toBe(true);
    expect(await one.rows("select id from cache_nodes")).toEqual([{ id: 1 }]);
    expect(await one.rows("select id from chat_sessions where user_id = 1")).toEqual([]);
  });

  it("ends the class's generations for its texts only, and leaves others'", async () => {
    await one.storeNode({ id: 1 });
    await one.standOn(1);
    const { generation } = await one.openAndClaim({ content: ownNode.message });
    expect(await one.stateOf(generation)).toBe("writing");
    await one.rows("begin");
    await one.standOn(1, 2);
    await one.openAndClaim({ session: 2, content: ownNode.message });
    expect(await erase(one)).toBe(true);
    expect(await one.stateOf(generation)).toBe("writing");
    await one.rows("rollback");

    expect(await erase(one)).toBe(true);
    expect(await one.rows("select id from generations")).toEqual([]);
    expect(await one.finish(generation, ["Yes."])).toEqual([]);
    expect(await one.rows("select id from cache_nodes")).toEqual([{ id: 1 }]);
  });
});

describe("staff who change an answer", () => {
  const request = `'{"at": "2026-03-10T12:00:00Z", "id": "r"}'`;
  const replace = (who: Connection, text: string) =>
    who.value(
      `select replace_and_pin_answer(1, jsonb_build_object('text', '${text}'), 3, null, null, ${request})`,
    );
  const sayStart = { content: "Start." };

  it("block no turn on it, and every learner gets one of the two answers", async () => {
    await one.storeNode({ id: 1 });
    await one.rows("begin");
    await replace(one, "By hand.");
    // Opening a turn waits for no node: only the claim waits.
    expect(await other.open({ session: 2, ...sayStart })).toMatchObject({ kind: "open", shared: true });
    const claimed = other.claim({ session: 2 });
    await waits(other);
    await one.rows("commit");
    expect(await claimed).toMatchObject({ kind: "stored", chunks: ["By hand."] });
    expect(await one.rows("select cache_node_id, cache_state from chat_sessions where id = 2")).toEqual([
      { cache_node_id: 1, cache_state: "tracking" },
    ]);
  });

  it("pin a text where a generation was running", async () => {
    await one.storeNode({ id: 1 });
    await one.rows("update cache_nodes set prompt_version = 2 where id = 1");
    await one.rows("select setval(pg_get_serial_sequence('cache_nodes', 'id'), 1000)");
    const { generation } = await one.openAndClaim(sayStart);
    await one.rows("begin");
    await replace(one, "By hand.");
    const finished = other.finish(generation, ["By a model."]);
    await waits(other);
    await one.rows("commit");
    expect(await finished).toMatchObject([{ chunks: ["By hand."] }]);
    expect(await one.rows(treeViolationsQuery)).toEqual([]);
  });

  it("undo only if there is no later change", async () => {
    await one.storeNode({ id: 1 });
    await replace(one, "First.");
    await one.rows("begin");
    await replace(one, "Second.");
    const undone = other.value(`select undo_tree_change(1, 1, 3, ${request})`);
    await waits(other);
    await one.rows("commit");
    expect(await undone).toBe("changed");
    expect(await one.value("select answer from cache_nodes")).toBe("Second.");
  });

  it("undo a change once, however many do", async () => {
    await one.storeNode({ id: 1 });
    await one.rows(`select purge_stored_answer_with_subtree(1, null, 3, ${request})`);
    await one.rows("begin");
    expect(await one.value(`select undo_tree_change(1, 1, 3, ${request})`)).toBeNull();
    const undone = other.value(`select undo_tree_change(1, 1, 3, ${request})`);
    await waits(other);
    await one.rows("commit");
    expect(["undone", "again"]).toContain(await undone);
    expect(await other.value(`select undo_tree_change(1, 1, 3, ${request})`)).toBe("undone");
    expect(await one.value("select count(*)::int from cache_nodes")).toBe(1);
  });
});

describe("two first learners of a copied item", () => {
  it("take its answer over together, without a call", async () => {
    await one.rows("update content_items set created_at = '2026-03-01Z'");
    await one.storeNode({ id: 100 });
    await one.rows("update cache_nodes set created_at = '2026-02-01Z', content_fingerprint = 'taught'");
    await one.rows("update content_items set origin_item_id = 1 where id = 2");
    await one.rows(`update chat_sessions
      set content_item_id = 2, item_fingerprint = 'taught', surroundings_fingerprint = 'around'`);
    await one.rows("begin");
    expect(await one.open()).toMatchObject({ meta: { source: "cache" } });
    expect(await other.open({ session: 2, content: "Start." })).toMatchObject({ kind: "open", shared: true });
    const claimed = other.claim({ session: 2 });
    await waits(other);
    await one.rows("commit");
    expect(await claimed).toMatchObject({ kind: "stored", id: expect.any(Number) });
    expect(await one.rows("select origin_node_id from cache_nodes where content_item_id = 2")).toEqual([
      { origin_node_id: 100 },
    ]);
    expect(await one.value("select count(*)::int from generations")).toBe(0);
  });
});
