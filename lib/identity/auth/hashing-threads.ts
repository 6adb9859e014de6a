import { Worker } from "node:worker_threads";
import type { FairLimit } from "../../platform/async/fair-limit.ts";
import type { BcryptTask } from "./bcrypt-task.ts";

type Answer = string | boolean;
type Job = { resolve(answer: Answer): void; reject(reason: unknown): void };

/** A worker thread ended or failed to start before its task was done. */
export class ThreadLost extends Error {
  override name = "ThreadLost";
}

/**
 * One thread for each turn, started on demand and not keeping the process alive. Tasks of a lost thread fail
 * with `ThreadLost`.
 */
export function createHashingThreadPool(file: URL, turns: FairLimit) {
  const threads = new Map<Worker, Job | undefined>();

  return {
    run: (task: BcryptTask): Promise<Answer> => turns.run(() => runIn(idle() ?? start(), task)),
  };

  function runIn(worker: Worker, task: BcryptTask): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    threads.set(worker, { resolve, reject });
    worker.ref();
    worker.postMessage(task);
    return promise;
  }

  function idle(): Worker | undefined {
    for (const [worker, job] of threads) if (!job) return worker;
    return undefined;
  }

  function start(): Worker {
    const worker = new Worker(file);
    worker.on("message", (answer: Answer) => {
      const job = threads.get(worker);
      threads.set(worker, undefined);
      worker.unref();
      job?.resolve(answer);
    });
    const lost = (cause: unknown) => {
      const job = threads.get(worker);
      threads.delete(worker);
      job?.reject(new ThreadLost("A hashing thread ended", { cause }));
    };
    return worker.on("error", lost).on("exit", lost);
  }
}
