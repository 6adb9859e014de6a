import { type IncomingMessage, request as requestPlainly } from "node:http";
import { request as requestByTls } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { json, text } from "node:stream/consumers";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { jsonAsEvent } from "./json-as-event.ts";

export type SocketFetchOptions = {
  /** The server's allowed silence until it has the request. */
  connectTimeoutMs?: number;
};

/** `alive` is called for each chunk of the response. */
type WatchedRequest = RequestInit & { alive?: () => void };

/**
 * A `fetch` for a thousand long answers in parallel. It frees the request after sending and reads Node's
 * stream directly; Node's `fetch` keeps the request, a copy and web streams. Does not follow redirects: the
 * key would follow too.
 */
export const createSocketFetch =
  ({ connectTimeoutMs = 10_000 }: SocketFetchOptions = {}) =>
  async (address: string | URL | Request, init: WatchedRequest = {}): Promise<Response> => {
    const { method = "GET", body, signal, alive } = init;
    const url = new URL(address instanceof Request ? address.url : address);
    const asked = (url.protocol === "https:" ? requestByTls : requestPlainly)(url, {
      method,
      headers: { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" },
      timeout: connectTimeoutMs,
    });
    // After it has the request, the model may think longer.
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

/** Some proxies ignore the requested encoding. */
const decoders = new Map(
  Object.entries({
    gzip: createGunzip,
    "x-gzip": createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
    zstd: createZstdDecompress,
  }),
);

function decoded(incoming: IncomingMessage): Readable {
  const decoder = decoders.get(incoming.headers["content-encoding"]?.trim().toLowerCase() ?? "");
  // The reader receives the error.
  return decoder ? pipeline(incoming, decoder(), () => {}) : incoming;
}

/** Clients iterate over Node's stream as over a web stream. */
function responseOf(incoming: IncomingMessage, alive?: () => void): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const { statusCode: status = 0 } = incoming;
  const content = decoded(incoming);
  // An error's body is no sign of an answer.
  const body = alive && status < 300 ? jsonAsEvent(watched(content, alive)) : content;
  return Object.defineProperties(new Response(null, { status, headers }), {
    body: { value: body },
    text: { value: () => text(content) },
    json: { value: () => json(content) },
  });
}

async function* watched(content: Readable, alive: () => void): AsyncGenerator<Uint8Array, void> {
  for await (const piece of content) {
    alive();
    yield piece;
  }
}
