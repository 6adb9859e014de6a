import { groups } from "../functions/groups.ts";
import type { Deps } from "../lib/deps.ts";
import { type Finish, shell } from "../lib/http/shell.ts";
import { EventStream } from "../lib/http/sse.ts";
import { compressing } from "./compressing.ts";
import { writeEvents } from "./event-socket.ts";
import { close, listen, thisMachine, usualPatienceMs } from "./listen.ts";

export type HttpServer = {
  url: string;
  /** Takes no more connections, and ends once those that are open are done, at most after that many milliseconds. */
  close(patienceMs?: number): Promise<void>;
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

/** Serves every route group by HTTP, as the functions do on AWS. Rejects with `CannotListen` when the port cannot be had. */
export async function startServer({
  deps,
  port,
  host = thisMachine,
}: HttpServerOptions): Promise<HttpServer> {
  const server = await listen(shell(deps, groups, finish).fetch, port, host);
  const address = server.address();
  const taken = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${thisMachine}:${taken}`,
    close: (patienceMs = usualPatienceMs) => close(server, patienceMs),
  };
}
