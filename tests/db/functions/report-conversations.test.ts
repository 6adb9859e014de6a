import { beforeEach, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { rows, value, noted } = openSession();

/* A conversation of two minutes, with one answer from the tree and one from the model. */
beforeEach(async () => {
  await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, content_fingerprint)
    overriding system value values (1, 1, 1, '{}', 'content')`);
  await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at) values
    (1, 'user', 'Start.', '{}', false, '2026-03-01T10:00Z'),
    (1, 'assistant', 'Hello.', '{"source": "cache"}', true, '2026-03-01T10:00Z'),
    (1, 'assistant', 'Yes.', '{"source": "llm"}', true, '2026-03-01T10:02Z')`);
});

it("note_messages leaves the numbers of new messages on the list", async () => {
  expect(
    await value("select count(*)::int from uncounted_messages join chat_messages on id = message_id"),
  ).toBe(3);
});

it("count_messages notes conversations, their time, and answers on shared paths, each once", async () => {
  const counted = { conversations: 1, conversation_milliseconds: 120_000, hits: 1, misses: 1 };
  expect(await value("select count_messages(2)")).toBe(2);
  expect(await noted()).toEqual({ conversations: 1, hits: 1 });
  expect(await value("select count_messages(2)")).toBe(1);
  expect(await noted()).toEqual(counted);
  expect(await value("select count_messages(2)")).toBe(0);
});

it("count_divergence counts a conversation that leaves the shared paths once", async () => {
  await rows("update chat_sessions set cache_state = 'diverged'");
  await rows("update chat_sessions set cache_state = 'diverged'");
  expect(await noted()).toEqual({ divergences: 1 });
});
