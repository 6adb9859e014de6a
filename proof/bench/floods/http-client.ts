import { Agent, request } from "node:http";

/** A request through a trusted proxy, from the named network address. */
export type RequestFromAddress = {
  method?: string;
  path: string;
  from: string;
  token?: string;
  body?: object | Buffer;
  /** Fields of a form, instead of a body. */
  form?: Record<string, string>;
  /** Aborted when the caller hangs up. */
  signal?: AbortSignal;
};

/** Times in milliseconds from the request to the body's first byte and to its end. */
export type TimedResponse = {
  status: number;
  text: string;
  firstMilliseconds: number;
  milliseconds: number;
};

export type FloodHttpClient = { send(call: RequestFromAddress): Promise<TimedResponse>; close(): void };

/** Sends requests to a server, each on a free connection. */
export function createFloodHttpClient(base: string): FloodHttpClient {
  const agent = new Agent({ keepAlive: true });
  return {
    send: (call) => send(agent, base, call),
    close: () => agent.destroy(),
  };
}

function send(agent: Agent, base: string, call: RequestFromAddress): Promise<TimedResponse> {
  const { path, from, token, form, signal } = call;
  const body = form ? Buffer.from(new URLSearchParams(form).toString()) : call.body;
  const { method = body ? "POST" : "GET" } = call;
  const headers = {
    "x-forwarded-for": from,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && { "content-type": form ? "application/x-www-form-urlencoded" : "application/json" }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<TimedResponse>();
  const url = base + (path.startsWith("/lti/") ? path : `/api/v1${path}`);
  const began = performance.now();
  const sent = request(url, { method, agent, headers, ...(signal && { signal }) }, (response) => {
    let text = "";
    let firstMilliseconds = Number.NaN;
    response.setEncoding("utf8").on("data", (part: string) => {
      if (!text) firstMilliseconds = performance.now() - began;
      text += part;
    });
    response.on("error", reject).on("end", () =>
      resolve({
        status: response.statusCode ?? 0,
        text,
        firstMilliseconds,
        milliseconds: performance.now() - began,
      }),
    );
  });
  sent.on("error", reject);
  sent.end(body && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
  return promise;
}

/** Throws for an error status. */
export async function expectSuccessStatus(reply: Promise<TimedResponse>): Promise<TimedResponse> {
  const { status, text } = await reply;
  if (status >= 400) throw new Error(`${status}: ${text.slice(0, 200)}`);
  return reply;
}
