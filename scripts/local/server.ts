import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { groups } from "../../functions/groups.ts";
import type { Deps } from "../../lib/deps.ts";
import { shell } from "../../lib/http/shell.ts";

export type LocalServer = { url: string; close(): Promise<void> };

/** How long answers that are still being written may take when the server is told to stop. */
const DRAIN_TIMEOUT_MS = 3000;

/**
 * Serves every route group on 127.0.0.1, as the functions do on AWS; port 0 takes a free one.
 * Rejects when the port is taken. `close` lets running answers end, for a few seconds at most.
 */
export async function startServer({ deps, port }: { deps: Deps; port: number }): Promise<LocalServer> {
  const server = await listen(shell(deps, groups).fetch, port);
  const address = server.address();
  const taken = typeof address === "object" && address ? address.port : port;
  return { url: `http://127.0.0.1:${taken}`, close: () => close(server) };
}

function listen(fetch: Parameters<typeof serve>[0]["fetch"], port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname: "127.0.0.1" }, () => resolve(server)) as Server;
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? new PortTaken(port) : error),
    );
  });
}

/** Rejects with `PortTaken` when the port cannot be had: better before the rest is started than after. */
export async function checkPortIsFree(port: number): Promise<void> {
  const server = await listen(() => new Response(), port);
  await close(server);
}

/** Something else listens on the port. */
export class PortTaken extends Error {
  override name = "PortTaken";

  constructor(port: number) {
    super(`Port ${port} is taken: stop what listens there, or set PORT to another`);
  }
}

async function close(server: Server): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(deadline);
}
