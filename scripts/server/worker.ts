import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../lib/config.ts";
import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import { wire } from "../../lib/deps.ts";
import { startServer } from "./http-server.ts";
import { serverConfig } from "./settings.ts";

/**
 * One process of the server: serves until it is told to stop, then lets the answers that it is giving come to their
 * end, also those whose readers have left. It ends at once when the primary is gone.
 */
export async function serveUntilStopped(config: Config = serverConfig()): Promise<void> {
  const told = toldToStop();
  const deps = wire(config, { parts: cloudParts });
  const server = await startServer({ deps, host: config.HOST, port: config.PORT });
  process.send?.("serving");
  await told;
  deps.lifecycle.drain();
  await sleep(config.SHUTDOWN_DELAY_SECONDS * 1000);
  const patienceMs = config.SHUTDOWN_TIMEOUT_SECONDS * 1000;
  const closed = server.close(patienceMs);
  const unfinished = await deps.lifecycle.idle(patienceMs);
  if (unfinished > 0) deps.log.warn({ unfinished }, "answers were cut off: the time to stop was up");
  await closed;
  await deps.close();
}

/** Ctrl-C reaches every process of a terminal at once: the primary then says when to stop. */
async function toldToStop(): Promise<void> {
  process.on("SIGINT", () => {});
  await once(process, "SIGTERM");
}
