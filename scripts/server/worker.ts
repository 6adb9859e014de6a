import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../lib/config.ts";
import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import { type Deps, wire } from "../../lib/deps.ts";
import type { Rounds } from "../../lib/rounds.ts";
import { startServer } from "./http-server.ts";
import { startMail } from "./mail.ts";
import { startQuizDeadlines } from "./quiz-deadlines.ts";
import { serverConfig } from "./settings.ts";

/**
 * One process of the server: serves until it is told to stop, then lets the answers that it is giving come to their
 * end, also those whose readers have left. It ends at once when the primary is gone.
 */
export async function serveUntilStopped(config: Config = serverConfig()): Promise<void> {
  const told = toldToStop();
  const deps = wire(config, { parts: cloudParts });
  const rounds = startRoundsWhenTold(deps);
  const server = await startServer({ deps, host: config.HOST, port: config.PORT });
  process.send?.("serving");
  await told;
  const roundsEnded = rounds.stop();
  deps.lifecycle.drain();
  await sleep(config.SHUTDOWN_DELAY_SECONDS * 1000);
  const patienceMs = config.SHUTDOWN_TIMEOUT_SECONDS * 1000;
  const closed = server.close(patienceMs);
  const unfinished = await deps.lifecycle.idle(patienceMs);
  if (unfinished > 0) deps.log.warn({ unfinished }, "answers were cut off: the time to stop was up");
  await Promise.all([closed, roundsEnded]);
  await deps.close();
}

/** The primary tells one of its workers to do what a schedule does elsewhere: send mail, and close attempts. */
function startRoundsWhenTold(deps: Deps): Rounds {
  const started: (Rounds | undefined)[] = [];
  const start = () => {
    started.push(startMail(deps), startQuizDeadlines(deps));
  };
  process.once("message", start);
  return {
    async stop() {
      process.off("message", start);
      await Promise.all(started.map((rounds) => rounds?.stop()));
    },
  };
}

/** Ctrl-C reaches every process of a terminal at once: the primary then says when to stop. */
async function toldToStop(): Promise<void> {
  process.on("SIGINT", () => {});
  await once(process, "SIGTERM");
}
