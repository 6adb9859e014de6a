import { sql } from "drizzle-orm";
import { beforeAll, expect } from "vitest";
import type { StreamEvent } from "../../../../schema/api/tutor/chat.ts";
import type { Client, Reply } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import type { World } from "../../../support/world.ts";

export const eventsOf = (reply: Reply): StreamEvent[] =>
  reply.text
    .split("\n\n")
    .filter(Boolean)
    .map((block) => {
      expect(block.startsWith("data: ")).toBe(true);
      return JSON.parse(block.slice(6)) as StreamEvent;
    });

/** The chunks of a streamed answer, without the last event. */
export const chunksOf = (reply: Reply): string[] =>
  eventsOf(reply).flatMap((event) => (event.done ? [] : event.content));

/** The resulting answer: after a restart event, only later chunks. */
export const textOf = (reply: Reply): string => {
  const events = eventsOf(reply);
  const restart = events.findLastIndex((event) => "restart" in event);
  return events
    .slice(restart + 1)
    .map(({ content }) => content)
    .join("");
};

/** The message id in the last event. */
export const messageIdOf = (reply: Reply): number => {
  const last = eventsOf(reply).at(-1);
  if (!last || !("message_id" in last)) throw new Error(`the stream ended without an answer: ${reply.text}`);
  return last.message_id;
};

/** Delays the following chunks of a scripted answer until released. */
export function hold() {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  return { held, release: () => resolve() };
}

/** Extends leases: a busy machine must not lose one during these tests. */
export const keepLeases = (world: World): void =>
  beforeAll(async () => {
    for (const lease of ["producer_lease_duration", "listener_lease_duration"])
      await world.deps.db.execute(
        sql.raw(`create or replace function ${lease}() returns interval language sql immutable as $$
          select interval '2 minutes' $$`),
      );
  });

export const answerTo = (questionId: string, answer: string) => JSON.stringify({ questionId, answer });

export async function openConversation(world: World) {
  const make = makersOf(world);
  const { item } = await make.topic();
  const person = await make.person();
  const client = world.as(person);
  return { item, person, client, session: await openSession(client, item.id) };
}

export async function openSession(client: Client, content_item_id: number) {
  const made = await client.post("/chat/sessions", { content_item_id });
  expect(made.status).toBe(201);
  const id: number = made.body.id;
  return {
    id,
    say: (content: string, client_message_id?: string) =>
      client.post(`/chat/sessions/${id}/messages`, { content, client_message_id }),
    greet: () => client.post(`/chat/sessions/${id}/greeting`),
    resume: () => client.get(`/chat/sessions/${id}/stream`),
    stop: () => client.post(`/chat/sessions/${id}/stop`),
    read: async () => (await client.get(`/chat/sessions/${id}`)).body,
    lastMeta: async () => (await client.get(`/chat/sessions/${id}`)).body.messages.at(-1).meta,
  };
}

/** Opens a stream and reads it incrementally: until a text appears, and then to the end. */
export async function openStream(world: World, client: Client, method: string, path: string, body?: object) {
  const response = await world.app.request(world.deps.config.API_V1_PREFIX + path, {
    method,
    headers: { authorization: `Bearer ${await client.token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<never>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readWhile = async (goesOn: () => boolean) => {
    while (goesOn()) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    return text;
  };
  return {
    until: (part: string) => readWhile(() => !text.includes(part)),
    rest: () => readWhile(() => true),
    leave: () => reader.cancel(),
  };
}
