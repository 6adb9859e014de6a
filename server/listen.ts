import type { Server } from "node:http";
import { serve } from "@hono/node-server";

/** Default timeout for open responses at shutdown. */
export const defaultListenTimeoutMs = 3000;

export const thisMachine = "127.0.0.1";

/** Timeout for receiving a request: enough for 400 MB at 1 Mbit/s. */
const requestTimeout = 3600_000;

/**
 * Longer than proxies keep idle connections. Otherwise a proxy could send a request while the server closes
 * the connection.
 */
const keepAliveTimeout = 75_000;

/** Serves `fetch`. Rejects with `CannotListen` if the port is not available. */
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

/** Rejects with `CannotListen` if the port is not available, before anything else is started. */
export async function checkPortIsFree(port: number, host = thisMachine): Promise<void> {
  const server = await listen(() => new Response(), port, host);
  await close(server, defaultListenTimeoutMs);
}

/** The port is in use, or the address belongs to another machine. */
export class CannotListen extends Error {
  override name = "CannotListen";

  constructor(port: number, host: string, cause: NodeJS.ErrnoException) {
    const isTaken = cause.code === "EADDRINUSE";
    const reason = isTaken
      ? `Port ${port} is in use. Stop the program that listens there, or set PORT to another port`
      : `Cannot listen at ${host}, port ${port} (${cause.code}). Check HOST and PORT`;
    super(reason, { cause });
  }
}

/** Stops accepting connections. Those still open after the timeout are closed. */
export async function close(server: Server, timeoutMs: number): Promise<void> {
  const timeout = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timeout);
}
