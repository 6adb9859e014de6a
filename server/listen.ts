import type { Server } from "node:http";
import { serve } from "@hono/node-server";

/** How long answers that are still being written may take when nothing else is said. */
export const usualTimeoutMs = 3000;

export const thisMachine = "127.0.0.1";

/** How long a request may take to arrive: what an uplink of 1 Mbit/s sends in that time is 400 MB. */
const requestTimeout = 3600_000;

/** Longer than proxies keep an idle connection: else one sends a request while the server closes its connection. */
const keepAliveTimeout = 75_000;

/** Serves what `fetch` answers. Rejects with `CannotListen` when the port cannot be had there. */
export function listen(
  fetch: Parameters<typeof serve>[0]["fetch"],
  port: number,
  hostname: string,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const serverOptions = { requestTimeout, keepAliveTimeout };
    const server = serve({ fetch, port, hostname, serverOptions }, () => resolve(server)) as Server;
    server.once("error", (error: NodeJS.ErrnoException) => reject(new CannotListen(port, hostname, error)));
  });
}

/** Rejects with `CannotListen` when the port cannot be had: better before the rest is started than after. */
export async function checkPortIsFree(port: number, host = thisMachine): Promise<void> {
  const server = await listen(() => new Response(), port, host);
  await close(server, usualTimeoutMs);
}

/** The port cannot be had at that address: something else has it, say, or the address is another machine's. */
export class CannotListen extends Error {
  override name = "CannotListen";

  constructor(port: number, host: string, cause: NodeJS.ErrnoException) {
    const isTaken = cause.code === "EADDRINUSE";
    const reason = isTaken
      ? `Port ${port} is taken: stop what listens there, or set PORT to another`
      : `Nothing can listen at ${host}, port ${port} (${cause.code}): look at HOST and PORT`;
    super(reason, { cause });
  }
}

/** Takes no more connections; those that are open when the time is over are cut. */
export async function close(server: Server, timeoutMs: number): Promise<void> {
  const timeout = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timeout);
}
