import type { IncomingMessage } from "node:http";
import type { Http2Bindings, HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { groups } from "../functions/groups.ts";
import type { Deps } from "../lib/deps.ts";
import { type Finish, shell } from "../lib/http/shell.ts";
import { EventStream } from "../lib/http/sse.ts";
import { compressing } from "./compressing.ts";
import { writeEvents } from "./event-socket.ts";
import { close, listen, thisMachine, usualTimeoutMs } from "./listen.ts";
import { type ServeStored, storedFiles } from "./stored-files/serve.ts";

export type HttpServer = {
  url: string;
  /** Takes no more connections, and ends once those that are open are done, at most after that many milliseconds. */
  close(timeoutMs?: number): Promise<void>;
};

export type HttpServerOptions = {
  deps: Deps;
  /** 0 takes a free one. */
  port: number;
  /** The address to listen on; by default this machine's own, which no other machine reaches. */
  host?: string;
};

const finish: Finish = async (c, outgoing) =>
  outgoing instanceof EventStream ? writeEvents(c, outgoing) : compressing(c, outgoing);

/** What belongs to the file store is served before the API, and bodies of the API arrive as fast as they had to before. */
const withStoredFiles =
  (fetch: ReturnType<typeof shell>["fetch"], stored: ServeStored | undefined) =>
  (request: Request, bindings: HttpBindings | Http2Bindings): Response | Promise<Response> => {
    const { incoming, outgoing } = bindings as HttpBindings; // No server of ours speaks HTTP/2 by itself.
    if (stored?.(incoming, outgoing)) return RESPONSE_ALREADY_SENT;
    endWhenSlow(incoming);
    return fetch(request, { incoming, outgoing });
  };

/** How long the API waits for a request's body, which has a megabyte at most. */
const bodyPatienceMs = 300_000;

function endWhenSlow(incoming: IncomingMessage): void {
  if (["GET", "HEAD"].includes(incoming.method ?? "")) return;
  const timeout = setTimeout(() => incoming.destroy(), bodyPatienceMs).unref();
  incoming.once("end", () => clearTimeout(timeout)).once("close", () => clearTimeout(timeout));
}

/** Serves every route group by HTTP, as the functions do on AWS. Rejects with `CannotListen` when the port cannot be had. */
export async function startServer({
  deps,
  port,
  host = thisMachine,
}: HttpServerOptions): Promise<HttpServer> {
  const app = shell(deps, groups, finish);
  const server = await listen(withStoredFiles(app.fetch, storedFiles(deps)), port, host);
  const address = server.address();
  const taken = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${thisMachine}:${taken}`,
    close: (timeoutMs = usualTimeoutMs) => close(server, timeoutMs),
  };
}
