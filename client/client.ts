import createClient, { type ClientForPath, type ClientOptions } from "openapi-fetch";
import type { components, paths } from "./api.ts";
import { operations } from "./operations.ts";

/** The shapes of the API by their names, such as `Schemas["Course"]`. */
export type Schemas = components["schemas"];

type Operations = typeof operations;

/** A function for each operation, named by its id in the API document. */
export type PlatformClient = {
  [Id in keyof Operations]: ClientForPath<paths[Operations[Id]["path"]], `${string}/${string}`>[Uppercase<
    Operations[Id]["method"]
  >];
};

export type PlatformClientOptions = ClientOptions & {
  /** The service's address, such as `https://api.example.edu`. */
  baseUrl: string;
  /** The access token to send, asked for before each request; nothing is sent without one. */
  token?: () => string | undefined | Promise<string | undefined>;
};

/**
 * A client whose parameters, bodies and answers are typed by the API document:
 * `await client.getCourse({ params: { path: { course_id: 7 } } })` answers `{ data }`, or `{ error }` as the service
 * sent it.
 */
export function createPlatformClient({ token, ...options }: PlatformClientOptions): PlatformClient {
  const client = createClient<paths>(options);
  client.use({
    async onRequest({ request }) {
      const current = await token?.();
      if (current) request.headers.set("Authorization", `Bearer ${current}`);
      return request;
    },
  });
  const request = client.request as (method: string, path: string, init?: object) => Promise<unknown>;
  const functions = Object.entries(operations).map(([id, { method, path }]) => [
    id,
    (init?: object) => request(method, path, init),
  ]);
  return Object.fromEntries(functions);
}

/**
 * A piece of the tutor's answer, or its end: with the stored message's id and the question that it asks, or the reason
 * why it broke off. After `restart` what was told so far does not hold: clear it, the answer is told anew.
 */
export type TutorEvent =
  | { content: string; done: false; restart?: true }
  | { content: ""; done: true; message_id: number; question?: Schemas["Question"] }
  | { content: ""; done: true; error: string };

/**
 * The events of a tutor's answer as they arrive. The request is made with `parseAs: "stream"`, and its `data` is
 * what this reads.
 */
export async function* readTutorEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<TutorEvent> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (text + part.value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
  }
}
