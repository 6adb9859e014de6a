import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createPatientServer } from "./patient-server.ts";

/** The result of a function call: a complete response, a streamed response, or an error. */
export type Outcome =
  | { kind: "buffered"; result: unknown }
  | { kind: "streamed"; chunks: Buffer[]; brokenOff: boolean }
  | { kind: "error"; error: RuntimeError };

type RuntimeError = { errorType: string; errorMessage: string };

export type RuntimeApi = {
  /** `host:port`, for AWS_LAMBDA_RUNTIME_API. */
  address: string;
  /** Resolves at the function's first request for an event. Rejects if initialization fails. */
  initialised: Promise<void>;
  /** Sends an event to the function. `onChunk` gets each chunk of a streamed response. */
  invoke(event: unknown, onChunk?: (chunk: Buffer) => void): Promise<Outcome>;
  /** Names of registered extensions. A function registers one to receive a signal before shutdown. */
  extensions: string[];
  close(): Promise<void>;
};

type Invocation = {
  id: string;
  event: unknown;
  onChunk: (chunk: Buffer) => void;
  settle: (outcome: Outcome) => void;
};

const runtime = "/2018-06-01/runtime";
const extension = "/2020-01-01/extension";
const timeoutMs = 100_000;

/** Lambda's runtime API for one local function process. */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  const queue = createQueue();
  const pending = new Map<string, Invocation>();
  const extensions: string[] = [];
  const init = Promise.withResolvers<void>();
  init.promise.catch(() => {});

  const server = createPatientServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://runtime");
    const [, id = "", ending] = /\/invocation\/([^/]+)\/(response|error)$/.exec(pathname) ?? [];
    const invocation = pending.get(id);
    if (pathname === `${runtime}/invocation/next`) {
      init.resolve();
      queue.wait(response);
    } else if (pathname === `${runtime}/init/error`) {
      const { errorMessage } = await readJson<RuntimeError>(request);
      init.reject(new Error(errorMessage));
      response.writeHead(202).end();
    } else if (invocation) {
      const outcome = ending === "error" ? await readError(request) : await readAnswer(request, invocation);
      pending.delete(id);
      response.writeHead(202).end();
      invocation.settle(outcome);
    } else if (pathname === `${extension}/register`) {
      extensions.push(String(request.headers["lambda-extension-name"]));
      response.setHeader("Lambda-Extension-Identifier", randomUUID()).end("{}");
    } else if (pathname !== `${extension}/event/next`) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    initialised: init.promise,
    extensions,
    invoke: (event, onChunk = () => {}) =>
      new Promise((settle) => {
        const invocation = { id: randomUUID(), event, onChunk, settle };
        pending.set(invocation.id, invocation);
        queue.add(invocation);
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Matches events with the function's requests for the next one. */
function createQueue() {
  const events: Invocation[] = [];
  const waiting = new Set<ServerResponse>();
  const match = () => {
    const [response] = waiting;
    const invocation = response && events.shift();
    if (!response || !invocation) return;
    waiting.delete(response);
    hand(invocation, response);
  };
  return {
    add(invocation: Invocation) {
      events.push(invocation);
      match();
    },
    wait(response: ServerResponse) {
      waiting.add(response);
      // A process that has exited must not receive the next event.
      response.on("close", () => waiting.delete(response));
      match();
    },
  };
}

function hand({ id, event }: Invocation, response: ServerResponse): void {
  response
    .writeHead(200, {
      "Content-Type": "application/json",
      "Lambda-Runtime-Aws-Request-Id": id,
      "Lambda-Runtime-Deadline-Ms": String(Date.now() + timeoutMs),
      "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-west-2:000000000000:function:local",
    })
    .end(JSON.stringify(event));
}

async function readAnswer(request: IncomingMessage, { onChunk }: Invocation): Promise<Outcome> {
  if (request.headers["lambda-runtime-function-response-mode"] !== "streaming")
    return { kind: "buffered", result: await readJson(request) };
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
    onChunk(chunk);
  }
  return { kind: "streamed", chunks, brokenOff: "lambda-runtime-function-error-type" in request.trailers };
}

async function readError(request: IncomingMessage): Promise<Outcome> {
  return { kind: "error", error: await readJson(request) };
}

async function readJson<T>(request: IncomingMessage): Promise<T> {
  return JSON.parse(Buffer.concat(await request.toArray()).toString());
}
