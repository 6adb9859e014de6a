import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { rows, rowsReadOf, noted } = openSession();

/* A conversation of two minutes, with one answer from the tree and one from the model. */
beforeEach(async () => {
  await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, content_fingerprint)
    overriding system value values (1, 1, 1, '{}', 'content')`);
  await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at) values
    (1, 'user', 'Start.', '{}', false, '2026-03-01T10:00Z'),
    (1, 'assistant', 'Hello.', '{"source": "cache"}', true, '2026-03-01T10:00Z'),
    (1, 'assistant', 'Yes.', '{"source": "llm"}', true, '2026-03-01T10:02Z')`);
});

const all = { conversations: 1, conversation_milliseconds: 120_000, hits: 1, misses: 1 };

describe("note_messages", () => {
  it("notes a conversation, its time, and answers on shared paths, each once", async () => {
    expect(await noted()).toEqual(all);
    await rows(`insert into chat_messages (session_id, role, content, created_at) values
      (1, 'user', 'Why?', '2026-03-01T10:03Z')`);
    expect(await noted()).toEqual({ ...all, conversation_milliseconds: 180_000 });
  });

  it("counts a conversation on the day on which it began, also where that is told later", async () => {
    await rows(`insert into chat_messages (session_id, role, content, created_at) values
      (1, 'user', 'Before.', '2026-02-28T23:59Z')`);
    expect(
      await rows(`select day::text, sum(amount)::int as amount from uncounted_changes
        where measure = 'conversations' group by 1 having sum(amount) <> 0`),
    ).toEqual([{ day: "2026-02-28", amount: 1 }]);
  });

  it("reads no more of a long conversation than of a short one", async () => {
    const readFor = async (messages: number) => {
      const before = await rowsReadOf("chat_messages");
      await rows(`insert into chat_messages (session_id, role, content, created_at)
        select 1, 'user', 'Why?', timestamptz '2026-03-01T10:03Z' + number * interval '1 second'
        from generate_series(1, ${messages}) as number`);
      return (await rowsReadOf("chat_messages")) - before;
    };
    const ofAShortOne = await readFor(1);
    await readFor(1_000);
    await rows("analyze chat_messages");
    expect(await readFor(1)).toBeLessThan(ofAShortOne + 5);
  });

  it("keeps counted what is deleted", async () => {
    await rows("delete from chat_messages");
    await rows("delete from chat_sessions");
    expect(await noted()).toEqual(all);
  });
});

describe("counts_of", () => {
  it("counts chat_sessions that have left the shared paths, once each", async () => {
    await rows("update chat_sessions set cache_state = 'diverged'");
    await rows("update chat_sessions set cache_state = 'diverged'");
    expect(await noted()).toEqual({ ...all, divergences: 1 });
    expect(await rows("select measure from chat_sessions as one, counts_of(one)")).toEqual([
      { measure: "divergences" },
    ]);
  });

  it("counts chat_messages that were shared answers, given or missed", async () => {
    await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path)
      values (1, 'assistant', 'Yes.', '{"source": "llm", "joined": true}', true)`);
    expect(
      await rows(
        "select measure, count(*)::int from chat_messages as one, counts_of(one) group by 1 order by 1",
      ),
    ).toEqual([
      { measure: "hits", count: 1 },
      { measure: "joined", count: 1 },
      { measure: "misses", count: 2 },
    ]);
  });

  it("counts conversations by their begin, and their time", async () => {
    expect(
      await rows(
        "select measure, day::text, amount::int from conversations as one, counts_of(one) order by 1",
      ),
    ).toEqual([
      { measure: "conversation_milliseconds", day: "2026-03-01", amount: 120_000 },
      { measure: "conversations", day: "2026-03-01", amount: 1 },
    ]);
  });
});
