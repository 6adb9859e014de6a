import { describe, expect, it } from "vitest";
import { retryAfterSecondsOrZero } from "../../../app/src/error-classes.ts";
import { type ConversationToOpen, createConversationClient } from "../../../app/src/tutor/conversation.ts";
import type { ConversationState } from "../../../app/src/tutor/conversation-state.ts";
import { createPlatformClient } from "../../../client/client.ts";

const event = (fields: object) => `data: ${JSON.stringify({ content: "", done: false, ...fields })}\n\n`;
const end = event({ done: true, message_id: 9 });

/** A service with these responses by method and path. Records each call. */
function conversationWith(answers: Record<string, () => Response>, which: ConversationToOpen = {}) {
  const calls: string[] = [];
  const shown: ConversationState[] = [];
  const client = createPlatformClient({
    baseUrl: "https://api.example.edu",
    async fetch({ method, url }) {
      const call = `${method} ${new URL(url).pathname.replace("/api/v1/chat", "")}`;
      calls.push(call);
      return answers[call]?.() ?? Response.json({ detail: "Not Found" }, { status: 404 });
    },
  });
  return {
    conversation: createConversationClient(client, 7, (state) => shown.push(state), which),
    calls,
    shown,
  };
}

const session = (fields = {}) =>
  Response.json({ id: 3, content_item_id: 7, messages: [], has_more: false, answering: null, ...fields });
const stored = { messages: [{ id: 9, role: "assistant", content: "Whole." }] };

describe("a conversation with the tutor", () => {
  it("begins with the first message, and shows received text until the service has stored it", async () => {
    const { conversation, calls, shown } = conversationWith({
      "POST /sessions": () => session(),
      "POST /sessions/3/messages": () =>
        new Response(event({ content: "Who" }) + event({ content: "le." }) + end),
      "GET /sessions/3": () => session(stored),
    });
    expect(await conversation.say("Start.")).toBe(true);
    expect(shown.map(({ received }) => received)).toEqual(["", "", "Who", "Whole.", undefined]);
    expect(shown.at(-1)).toMatchObject({ session: stored });
    expect(calls).toEqual(["POST /sessions", "POST /sessions/3/messages", "GET /sessions/3"]);
  });

  it("drops received text when the answer restarts", async () => {
    const { conversation, shown } = conversationWith({
      "POST /sessions": () => session(),
      "POST /sessions/3/messages": () =>
        new Response(
          event({ content: "Hal" }) + event({ restart: true }) + event({ content: "Whole." }) + end,
        ),
      "GET /sessions/3": () => session(stored),
    });
    await conversation.say("Start.");
    expect(shown.map(({ received }) => received)).toEqual(["", "", "Hal", "", "Whole.", undefined]);
  });

  it.each([
    ["breaks off", () => new Response(event({ done: true, error: "The tutor failed" })), "The tutor failed"],
    [
      "is refused",
      () => Response.json({ detail: "Your budget is used up" }, { status: 429 }),
      "Your budget is used up",
    ],
  ])("says why an answer %s, and seems to write nothing any more", async (_, answer, message) => {
    const { conversation, shown } = conversationWith({
      "POST /sessions": () => session(),
      "POST /sessions/3/messages": answer,
      "GET /sessions/3": () => session(),
    });
    await conversation.say("Start.");
    expect(shown.at(-1)).toMatchObject({ fault: { message } });
    expect(shown.at(-1)?.received).toBeUndefined();
  });

  it.each([
    [5, 5],
    [undefined, undefined],
  ])("says after how long it is worth while to ask again: %s", async (retry_after, wanted) => {
    const error = "The tutor cannot be reached at the moment";
    const refused = `: waiting\n\n${event({ done: true, error, retry_after })}`;
    const { conversation, shown } = conversationWith({
      "POST /sessions": () => session(),
      "POST /sessions/3/messages": () => new Response(refused),
      "GET /sessions/3": () => session(),
    });
    expect(await conversation.say("Start.")).toBe(false);
    expect(shown.at(-1)?.fault).toMatchObject({ message: error, retryAfterSeconds: wanted });
    expect(retryAfterSecondsOrZero(shown.at(-1)?.fault)).toBe(wanted ?? 0);
  });

  it("is resumed at its state, with the pending answer", async () => {
    const { conversation, shown } = conversationWith({
      "GET /sessions": () =>
        Response.json([
          { id: 6, content_item_id: 7, aside_of: null, tried_prompt: { name: "tutor", version: 2 } },
          { id: 5, content_item_id: 7, aside_of: 3 },
          { id: 3, content_item_id: 7, aside_of: null },
        ]),
      "GET /sessions/3": () => session({ answering: { since: "2026-03-10T12:00:00Z", message_id: 8 } }),
      "GET /sessions/3/stream": () => new Response(event({ content: "Half" }) + end),
    });
    await conversation.open();
    expect(shown.map(({ received }) => received)).toEqual([undefined, "", "Half", undefined]);
  });

  it("with an answer that ended in between is read again, without an error", async () => {
    const { conversation, shown } = conversationWith({
      "GET /sessions": () => Response.json([{ id: 3, content_item_id: 7, aside_of: null }]),
      "GET /sessions/3": () =>
        session({ ...stored, answering: { since: "2026-03-10T12:00:00Z", message_id: 8 } }),
      "GET /sessions/3/stream": () =>
        Response.json({ detail: "No answer is being written" }, { status: 400 }),
    });
    await conversation.open();
    expect(shown.at(-1)).toMatchObject({ session: stored });
    expect(shown.at(-1)?.fault).toBeUndefined();
  });

  it("is read back to its first message, and keeps the loaded messages on a return", async () => {
    const message = (id: number) => ({ id, role: "user", content: `Words ${id}` });
    const { conversation, shown } = conversationWith(
      {
        "GET /sessions/3": () => session({ messages: [message(8), message(9)], has_more: true }),
        "GET /sessions/3/messages": () => Response.json({ messages: [message(7)], has_more: false }),
      },
      { id: 3 },
    );
    await conversation.open();
    expect(await conversation.older()).toBe(false);
    await conversation.look();
    const { session: read } = shown.at(-1) ?? {};
    expect(read?.messages.map(({ id }) => id)).toEqual([7, 8, 9]);
    expect(read?.has_more).toBe(false);
    expect(await conversation.older()).toBe(false);
  });

  it("that was left shows nothing any more", async () => {
    const { conversation, shown } = conversationWith({ "GET /sessions": () => Response.json([]) });
    conversation.leave();
    await conversation.open().catch(() => undefined);
    expect(shown).toEqual([]);
  });

  it("is read back to the message that it is opened for, and no further", async () => {
    const messages = [{ id: 90, role: "user", content: "New" }];
    const pages = [
      { messages: [{ id: 60, role: "user", content: "Older" }], has_more: true },
      { messages: [{ id: 30, role: "user", content: "Oldest" }], has_more: true },
    ];
    const { conversation, calls, shown } = conversationWith(
      {
        "GET /sessions/3": () => session({ messages, has_more: true }),
        "GET /sessions/3/messages": () => Response.json(pages.shift()),
      },
      { id: 3, message: 40 },
    );
    await conversation.open();
    expect(shown.at(-1)?.session?.messages.map(({ id }) => id)).toEqual([30, 60, 90]);
    expect(calls).toEqual(["GET /sessions/3", "GET /sessions/3/messages", "GET /sessions/3/messages"]);
  });
});
