import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { groups } from "../../functions/groups.ts";
import type { Deps } from "../../lib/deps.ts";
import { shell } from "../../lib/http/shell.ts";

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

/** How long answers that are still being written may take when nothing else is said. */
const usualPatienceMs = 3000;

const thisMachine = "127.0.0.1";

/** Serves every route group by HTTP, as the functions do on AWS. Rejects with `PortTaken` when the port is taken. */
export async function startServer({
  deps,
  port,
  host = thisMachine,
}: HttpServerOptions): Promise<HttpServer> {
  const server = await listen(compressing(shell(deps, groups)).fetch, port, host);
  const address = server.address();
  const taken = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${thisMachine}:${taken}`,
    close: (patienceMs = usualPatienceMs) => close(server, patienceMs),
  };
}

const compressed = compress();

/** The service, its larger answers compressed where the client takes that: on AWS the gateway does it. Streams never. */
function compressing(service: Pick<Hono, "fetch">): Hono {
  const app = new Hono();
  app.all("*", async (c) => {
    c.res = await service.fetch(c.req.raw, c.env);
    if (c.res.ok) await compressed(c, async () => {});
    return c.res;
  });
  return app;
}

function listen(
  fetch: Parameters<typeof serve>[0]["fetch"],
  port: number,
  hostname: string,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname }, () => resolve(server)) as Server;
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? new PortTaken(port) : error),
    );
  });
}

/** Rejects with `PortTaken` when the port cannot be had: better before the rest is started than after. */
export async function checkPortIsFree(port: number, host = thisMachine): Promise<void> {
  const server = await listen(() => new Response(), port, host);
  await close(server, usualPatienceMs);
}

/** Something else listens on the port. */
export class PortTaken extends Error {
  override name = "PortTaken";

  constructor(port: number) {
    super(`Port ${port} is taken: stop what listens there, or set PORT to another`);
  }
}

async function close(server: Server, patienceMs: number): Promise<void> {
  const impatience = setTimeout(() => server.closeAllConnections(), patienceMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(impatience);
}
