import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { unavailable } from "../errors.ts";
import type { BcryptTask } from "./bcrypt-task.ts";

type Answer = string | boolean;
type Job = { task: BcryptTask; resolve(answer: Answer): void; reject(reason: unknown): void };

/** A thread ended, or did not even start, and left its task undone. */
export class ThreadLost extends Error {
  override name = "ThreadLost";
}

/** With a quarter of a second for each, nobody waits longer than the database would be given. */
const MOST_WAITING = 100;

/**
 * Threads that hash passwords, one for each processor and four at most, started when they are needed; they do not keep
 * the process alive. A task fails with `ThreadLost` when its thread does, and with a 503 when very many wait already.
 */
export function hashingThreads(file: URL, most = Math.min(4, availableParallelism())) {
  const waiting: Job[] = [];
  const threads = new Map<Worker, Job | undefined>();

  return {
    run: (task: BcryptTask): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (waiting.length >= MOST_WAITING)
          return reject(unavailable("Too many people are signing in at once"));
        waiting.push({ task, resolve, reject });
        next();
      }),
  };

  function next(): void {
    if (waiting.length === 0) return;
    const worker = idle() ?? (threads.size < most ? start() : undefined);
    const job = worker && waiting.shift();
    if (!job) return;
    threads.set(worker, job);
    worker.ref();
    worker.postMessage(job.task);
  }

  function idle(): Worker | undefined {
    for (const [worker, job] of threads) if (!job) return worker;
    return undefined;
  }

  function start(): Worker {
    const worker = new Worker(file);
    threads.set(worker, undefined);
    worker.on("message", (answer: Answer) => {
      threads.get(worker)?.resolve(answer);
      threads.set(worker, undefined);
      worker.unref();
      next();
    });
    const lost = (cause: unknown) => {
      threads.get(worker)?.reject(new ThreadLost("A hashing thread ended", { cause }));
      if (threads.delete(worker)) next();
    };
    return worker.on("error", lost).on("exit", lost);
  }
}
