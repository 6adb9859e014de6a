import { expect } from "vitest";
import type { StreamEvent } from "../../../schema/api/chat.ts";
import type { Client, Reply } from "../../support/client.ts";

/** The events of a streamed answer, in their order. */
export const eventsOf = (reply: Reply): StreamEvent[] =>
  reply.text
    .split("\n\n")
    .filter(Boolean)
    .map((block) => {
      expect(block.startsWith("data: ")).toBe(true);
      return JSON.parse(block.slice(6)) as StreamEvent;
    });

/** The chunks of a streamed answer, without its last event. */
export const chunksOf = (reply: Reply): string[] =>
  eventsOf(reply).flatMap((event) => (event.done ? [] : event.content));

export const answerTo = (questionId: string, answer: string) => JSON.stringify({ questionId, answer });

/** A conversation of one person about one item. */
export async function openSession(client: Client, content_item_id: number) {
  const made = await client.post("/chat/sessions", { content_item_id });
  expect(made.status).toBe(201);
  const id: number = made.body.id;
  return {
    id,
    say: (content: string) => client.post(`/chat/sessions/${id}/messages`, { content }),
    greet: () => client.post(`/chat/sessions/${id}/greeting`),
    read: async () => (await client.get(`/chat/sessions/${id}`)).body,
    /** The stored answer that came last. */
    lastMeta: async () => (await client.get(`/chat/sessions/${id}`)).body.messages.at(-1).meta,
  };
}
