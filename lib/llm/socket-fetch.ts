import { type IncomingMessage, request as requestPlainly } from "node:http";
import { request as requestByTls } from "node:https";
import { json, text } from "node:stream/consumers";

export type SocketFetchOptions = {
  /** How long the other end may keep still before it has the request. */
  connectTimeoutMs?: number;
};

/** What a client's request may say beside what `fetch` knows: what is told of each piece of the answer as it comes. */
type WatchedRequest = RequestInit & { alive?: () => void };

/**
 * A `fetch` for the clients of LLMs, whose answers take a minute, a thousand of them at once. Meanwhile nothing is kept
 * of what was sent, and the answer is read from Node's own stream: Node's `fetch` keeps the request, and a copy for a
 * redirect, and leads the answer through streams of the web's kind. A redirect is answered as it is: it is not
 * followed with a key.
 */
export const socketFetch =
  ({ connectTimeoutMs = 10_000 }: SocketFetchOptions = {}) =>
  async (address: string | URL | Request, init: WatchedRequest = {}): Promise<Response> => {
    const { method = "GET", body, signal, alive } = init;
    const url = new URL(address instanceof Request ? address.url : address);
    const asked = (url.protocol === "https:" ? requestByTls : requestPlainly)(url, {
      method,
      headers: { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" },
      timeout: connectTimeoutMs,
    });
    // Once it has the request, it may think for longer.
    asked.once("timeout", () => {
      if (!asked.writableFinished) asked.destroy(new ConnectTimeout());
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      const abort = () => {
        reject(signal?.reason);
        asked.destroy();
      };
      signal?.addEventListener("abort", abort, { once: true });
      asked.once("close", () => signal?.removeEventListener("abort", abort));
      asked.once("response", resolve);
      asked.on("error", reject);
      if (signal?.aborted) abort();
    });
    asked.end(body);
    return responseOf(await answered, alive);
  };

class ConnectTimeout extends Error {
  override name = "ConnectTimeout";
  readonly code = "ETIMEDOUT";
}

/** The body is Node's stream: the clients iterate over it, as they do over one of the web's kind. */
function responseOf(incoming: IncomingMessage, alive?: () => void): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const { statusCode: status = 0 } = incoming;
  // What is said in a refusal is no sign that an answer comes.
  const body = alive && status < 300 ? watched(incoming, alive) : incoming;
  return Object.defineProperties(new Response(null, { status, headers }), {
    body: { value: body },
    text: { value: () => text(incoming) },
    json: { value: () => json(incoming) },
  });
}

async function* watched(incoming: IncomingMessage, alive: () => void): AsyncGenerator<unknown, void> {
  for await (const piece of incoming) {
    alive();
    yield piece;
  }
}
