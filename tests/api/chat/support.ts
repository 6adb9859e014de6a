import { sql } from "drizzle-orm";
import { beforeAll, expect } from "vitest";
import type { StreamEvent } from "../../../schema/api/chat.ts";
import type { Client, Reply } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import type { World } from "../../support/world.ts";

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

/** The answer that the events leave with a learner: after a restart only what came then. */
export const textOf = (reply: Reply): string => {
  const events = eventsOf(reply);
  const restart = events.findLastIndex((event) => "restart" in event);
  return events
    .slice(restart + 1)
    .map(({ content }) => content)
    .join("");
};

/** The stored message that a stream ended with. */
export const messageIdOf = (reply: Reply): number => {
  const last = eventsOf(reply).at(-1);
  if (!last || !("message_id" in last)) throw new Error(`the stream ended without an answer: ${reply.text}`);
  return last.message_id;
};

/** Holds back what comes after it in a scripted answer, until it is released. */
export function hold() {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  return { held, release: () => resolve() };
}

/** Lets no lease lapse because the machine is busy: whoever makes an answer in these tests makes it to its end. */
export const keepLeases = (world: World): void =>
  beforeAll(async () => {
    for (const lease of ["producer_lease", "listener_lease"])
      await world.deps.db.execute(
        sql.raw(`create or replace function ${lease}() returns interval language sql immutable as $$
          select interval '2 minutes' $$`),
      );
  });

export const answerTo = (questionId: string, answer: string) => JSON.stringify({ questionId, answer });

/** Someone's conversation about a topic, both new. */
export async function openConversation(world: World) {
  const make = makersOf(world);
  const { item } = await make.topic();
  const person = await make.person();
  const client = world.as(person);
  return { item, person, client, session: await openSession(client, item.id) };
}

/** A conversation of one person about one item. */
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
    /** The stored answer that came last. */
    lastMeta: async () => (await client.get(`/chat/sessions/${id}`)).body.messages.at(-1).meta,
  };
}

/** Opens a stream and reads it as it comes: until it holds a text, and then to its end. */
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
