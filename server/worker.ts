import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import type { Config } from "../lib/config.ts";
import { createDeps, type Deps } from "../lib/deps.ts";
import type { Poller } from "../lib/platform/async/poller.ts";
import { createBufferedLog } from "../lib/platform/logging/buffered-log.ts";
import { startServer } from "./http-server.ts";
import { serverParts } from "./parts.ts";
import { startSchedule } from "./schedule.ts";
import { serverConfig } from "./settings.ts";

/** A worker's report to the primary: its heap limit. */
export type Serving = { heap_megabytes: number };

/**
 * A server process: serves until the stop signal, then completes its running responses, including those
 * without a client. Exits immediately if the primary is gone.
 */
export async function serveUntilStopped(config: Config = serverConfig()): Promise<void> {
  const told = toldToStop();
  const { log, flush } = createBufferedLog(config);
  const deps = await createDeps(config, { parts: serverParts, log });
  const schedule = startScheduleWhenTold(deps);
  const server = await startServer({ deps, host: config.HOST, port: config.PORT });
  process.send?.({
    heap_megabytes: Math.round(getHeapStatistics().heap_size_limit / 2 ** 20),
  } satisfies Serving);
  await told;
  const scheduleEnded = schedule.stop();
  deps.lifecycle.drain();
  await sleep(config.SHUTDOWN_DELAY_SECONDS * 1000);
  const timeoutMs = config.SHUTDOWN_TIMEOUT_SECONDS * 1000;
  const closed = server.close(timeoutMs);
  const unfinished = await deps.lifecycle.idle(timeoutMs);
  if (unfinished > 0) deps.log.warn({ unfinished }, "answers were cut off at the end of the shutdown time");
  await Promise.all([closed, scheduleEnded]);
  await deps.close();
  await flush();
}

/** The primary appoints one worker at a time to run the schedule, and sends the holder's id. */
function startScheduleWhenTold(deps: Deps): Poller {
  let schedule: Poller | undefined;
  const start = (holder: string) => {
    schedule = startSchedule(deps, holder);
  };
  process.once("message", start);
  return {
    async stop() {
      process.off("message", start);
      await schedule?.stop();
    },
  };
}

/** Ctrl-C reaches all processes of a terminal. Workers ignore it and wait for the primary. */
async function toldToStop(): Promise<void> {
  process.on("SIGINT", () => {});
  await once(process, "SIGTERM");
}
