import cluster, { type Worker } from "node:cluster";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import type { Config } from "../lib/config.ts";
import { connectDatabase } from "../lib/db/driver/connect.ts";
import { createLog, type Logger } from "../lib/logging/log.ts";
import { checkLogFiles, openLogFiles, toBoth } from "../lib/logging/log-files.ts";
import { checkPortIsFree } from "./listen.ts";
import { servingArguments } from "./node-arguments.ts";
import { findObstacle } from "./obstacles.ts";
import type { Serving } from "./worker.ts";

/** A worker that ends is started again after a pause, which doubles from the first to the second value while it goes on. */
const pausesMs = { first: 100, longest: 30_000 };

/** A worker that has served for that long begins with the first pause again. */
const steadyMs = 60_000;

/** A process that cannot or must not start: the message is for the operator. */
export class CannotStart extends Error {
  override name = "CannotStart";
}

/**
 * The process that keeps the workers: starts one for each processor, another for each that ends, passes on the order
 * to stop, and writes the log of all. Rejects before any of them runs, such as with `CannotStart`.
 */
export async function keepWorkers(config: Config): Promise<void> {
  // Before anything else: whoever is told to stop while it starts, stops too.
  const told = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await checkStart(config);
  await using files = logFiles(config);
  const log = createLog(config, files);
  const fleet = startFleet(config, files, log);
  log.info({ port: config.PORT, host: config.HOST, workers: workersOf(config) }, "starting");
  await told;
  log.info({}, "stopping");
  await fleet.stop();
  log.info({}, "stopped");
}

async function checkStart(config: Config): Promise<void> {
  await checkPortIsFree(config.PORT, config.HOST);
  await checkLogFiles(config);
  const database = await connectDatabase({ url: config.DATABASE_URL });
  const obstacle = await findObstacle(database.db, config).finally(database.close);
  if (obstacle) throw new CannotStart(obstacle);
}

const workersOf = ({ WORKERS }: Config): number => WORKERS || availableParallelism();

/** One process writes the files, since two would both put the full one aside. */
function logFiles(config: Config) {
  if (!config.LOG_FILE_ENABLED)
    return {
      write: (line: string) => void process.stdout.write(line),
      [Symbol.asyncDispose]: async () => {},
    };
  const printed = createLog(config);
  const files = openLogFiles(config, (fields, message) => printed.error(fields, message));
  return { ...toBoth(process.stdout, files), [Symbol.asyncDispose]: files.close };
}

function startFleet(config: Config, lines: { write(line: string): void }, log: Logger) {
  const workers = new Set<Worker>();
  const serving = new Set<Worker>();
  /** As whom its workers, one after the other, take part in the schedule of all machines. */
  const holder = randomUUID();
  let scheduler: Worker | undefined;
  let stopping = false;
  // Each worker accepts for itself: a connection on its way through the primary to one that dies would hang for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ silent: true, execArgv: servingArguments });
  for (let n = 0; n < workersOf(config); n++) start(pausesMs.first);

  function start(pauseMs: number): void {
    if (stopping) return;
    const worker = cluster.fork();
    workers.add(worker);
    forwardLines(worker, lines);
    const startedAt = performance.now();
    worker.once("message", ({ heap_megabytes }: Serving) => {
      log.info({ pid: worker.process.pid, heap_megabytes }, "serving");
      serving.add(worker);
      if (!scheduler) appointScheduler();
    });
    worker.once("exit", (code, signal) => {
      workers.delete(worker);
      serving.delete(worker);
      if (stopping) return;
      if (worker === scheduler) appointScheduler();
      log.error({ pid: worker.process.pid, reason: signal ?? code }, "a worker ended: another is started");
      const pause = performance.now() - startedAt > steadyMs ? pausesMs.first : pauseMs;
      setTimeout(start, pause, Math.min(pause * 2, pausesMs.longest));
    });
  }

  /** One worker at a time asks for the schedule: of several each would ask in vain. */
  function appointScheduler(): void {
    [scheduler] = serving;
    scheduler?.send(holder, () => {}); // One that has just ended is replaced when its exit is seen.
  }

  return {
    /** Resolves when all have ended. */
    async stop(): Promise<void> {
      stopping = true;
      const ends = [...workers].map((worker) => once(worker, "exit"));
      for (const worker of workers) worker.process.kill("SIGTERM");
      await Promise.all(ends);
    },
  };
}

/** Line by line, so that those of two workers never mix. */
function forwardLines({ process: { stdout, stderr } }: Worker, lines: { write(line: string): void }): void {
  if (stdout) createInterface(stdout).on("line", (line) => lines.write(`${line}\n`));
  stderr?.pipe(process.stderr, { end: false });
}
