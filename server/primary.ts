import cluster, { type Worker } from "node:cluster";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import type { Config } from "../lib/config.ts";
import { connectDatabase } from "../lib/platform/db/driver/connect.ts";
import { createLog, type DestinationStream, type Logger } from "../lib/platform/logging/log.ts";
import { ensureLogFilesWritable, openLogFiles, teeLogStreams } from "../lib/platform/logging/log-files.ts";
import { checkPortIsFree } from "./listen.ts";
import { servingArguments } from "./node-arguments.ts";
import { findObstacle } from "./obstacles.ts";
import { readWholeLines } from "./whole-lines.ts";
import type { Serving } from "./worker.ts";

/** Pause before a worker is restarted. Doubles from `first` to `longest` on repeated failures. */
const pausesMs = { first: 100, longest: 30_000 };

/** After running this long, a worker starts with the first pause again. */
const steadyMs = 60_000;

/** The process cannot or must not start. The message is for operators. */
export class CannotStart extends Error {
  override name = "CannotStart";
}

/**
 * The primary process: starts one worker per processor, restarts them, forwards the stop signal and writes
 * all logs. Rejects before any worker runs, for example with `CannotStart`.
 */
export async function keepWorkers(config: Config): Promise<void> {
  // Register signal handlers first, so a signal during start-up is not lost.
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
  await ensureLogFilesWritable(config);
  const database = await connectDatabase({ url: config.DATABASE_URL });
  const obstacle = await findObstacle(database.db, config).finally(database.close);
  if (obstacle) throw new CannotStart(obstacle);
}

const workersOf = ({ WORKERS }: Config): number => WORKERS || availableParallelism();

/** Only the primary writes log files: two processes would both rotate a full one. */
function logFiles(config: Config) {
  if (!config.LOG_FILE_ENABLED)
    return {
      write: (lines: string) => void process.stdout.write(lines),
      [Symbol.asyncDispose]: async () => {},
    };
  const printed = createLog(config);
  const files = openLogFiles(config, (fields, message) => printed.error(fields, message));
  return { ...teeLogStreams(process.stdout, files), [Symbol.asyncDispose]: files.close };
}

function startFleet(config: Config, output: DestinationStream, log: Logger) {
  const workers = new Set<Worker>();
  const serving = new Set<Worker>();
  /** The lease holder's id in the schedule, shared by its consecutive workers. */
  const holder = randomUUID();
  let scheduler: Worker | undefined;
  let stopping = false;
  // Each worker accepts its own connections. One passed through the primary to a dying worker would hang
  // forever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ silent: true, execArgv: servingArguments });
  for (let n = 0; n < workersOf(config); n++) start(pausesMs.first);

  function start(pauseMs: number): void {
    if (stopping) return;
    const worker = cluster.fork();
    workers.add(worker);
    forwardOutput(worker, output);
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
      log.error(
        { pid: worker.process.pid, reason: signal ?? code },
        "a worker ended, and a new one is started",
      );
      const pause = performance.now() - startedAt > steadyMs ? pausesMs.first : pauseMs;
      setTimeout(start, pause, Math.min(pause * 2, pausesMs.longest));
    });
  }

  /** Only one worker at a time competes for the schedule. */
  function appointScheduler(): void {
    [scheduler] = serving;
    scheduler?.send(holder, () => {}); // If that worker just ended, its exit handler appoints another.
  }

  return {
    async stop(): Promise<void> {
      stopping = true;
      // Unlike `exit`, not before the last lines are read.
      const ends = [...workers].map((worker) => once(worker.process, "close"));
      for (const worker of workers) worker.process.kill("SIGTERM");
      await Promise.all(ends);
    },
  };
}

function forwardOutput({ process: { stdout, stderr } }: Worker, log: DestinationStream): void {
  if (stdout) readWholeLines(stdout, (lines) => log.write(lines));
  stderr?.pipe(process.stderr, { end: false });
}
