import type { IncomingMessage } from "node:http";
import type { Http2Bindings, HttpBindings } from "@hono/node-server";
import { allEndpointGroups } from "../functions/groups.ts";
import type { Deps } from "../lib/deps.ts";
import { type BeforeSendHook, createApp } from "../lib/http/create-app.ts";
import { EventStream } from "../lib/http/sse.ts";
import { alreadySent } from "./already-sent.ts";
import { compressing } from "./compressing.ts";
import { writeEvents } from "./event-socket.ts";
import { close, defaultListenTimeoutMs, listen, thisMachine } from "./listen.ts";
import { type ServeStored, storedFiles } from "./stored-files/serve.ts";

export type HttpServer = {
  url: string;
  /** Stops accepting connections and resolves when the open ones have ended, at most after `timeoutMs`. */
  close(timeoutMs?: number): Promise<void>;
};

export type HttpServerOptions = {
  deps: Deps;
  /** 0 picks a free port. */
  port: number;
  /** The address to listen on. Default: loopback only. */
  host?: string;
};

const finish: BeforeSendHook = async (c, outgoing) =>
  outgoing instanceof EventStream ? writeEvents(c, outgoing) : compressing(c, outgoing);

/** Routes stored files before the API, and keeps the short body timeout for the API. */
const withStoredFiles =
  (fetch: ReturnType<typeof createApp>["fetch"], stored: ServeStored | undefined, stallMs: number) =>
  (request: Request, bindings: HttpBindings | Http2Bindings): Response | Promise<Response> => {
    const { incoming, outgoing } = bindings as HttpBindings; // Our servers never speak HTTP/2.
    if (stored?.(incoming, outgoing)) return alreadySent();
    endWhenSlow(incoming, stallMs);
    return fetch(request, { incoming, outgoing });
  };

/** Timeout for the body of an API request, which is at most 1 MB. */
const bodyPatienceMs = 300_000;

/** Closes the connection if the body is slow as a whole, or stalls. */
function endWhenSlow(incoming: IncomingMessage, stallMs: number): void {
  if (["GET", "HEAD"].includes(incoming.method ?? "")) return;
  const timeout = setTimeout(() => incoming.destroy(), bodyPatienceMs).unref();
  const endIfStalled = () => {
    // Node stops receiving while the service does not read what it has.
    const isUnread = incoming.readableLength >= incoming.readableHighWaterMark;
    if (isUnread) incoming.socket.setTimeout(stallMs);
    else incoming.destroy();
  };
  // A listener of the request, since Node closes the connection otherwise.
  incoming.setTimeout(stallMs, endIfStalled);
  const stop = () => {
    clearTimeout(timeout);
    // The next request of the connection has its own timeout.
    incoming.off("end", stop).off("close", stop);
    incoming.setTimeout(0).off("timeout", endIfStalled);
  };
  incoming.once("end", stop).once("close", stop);
}

/** Serves all route groups by HTTP. Rejects with `CannotListen` if the port is not available. */
export async function startServer({
  deps,
  port,
  host = thisMachine,
}: HttpServerOptions): Promise<HttpServer> {
  const app = createApp(deps, allEndpointGroups, finish);
  const stallMs = deps.config.BODY_STALL_SECONDS * 1000;
  const server = await listen(withStoredFiles(app.fetch, storedFiles(deps), stallMs), port, host);
  const address = server.address();
  const taken = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${thisMachine}:${taken}`,
    close: (timeoutMs = defaultListenTimeoutMs) => close(server, timeoutMs),
  };
}
