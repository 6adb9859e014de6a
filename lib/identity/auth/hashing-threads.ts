import { Worker } from "node:worker_threads";
import type { FairLimit } from "../../platform/async/fair-limit.ts";
import type { BcryptTask } from "./bcrypt-task.ts";

type Answer = string | boolean;
type Job = { resolve(answer: Answer): void; reject(reason: unknown): void };
type Thread = { worker: Worker; niceness: number; job: Job | undefined };

/** A worker thread ended or failed to start before its task was done. */
export class ThreadLost extends Error {
  override name = "ThreadLost";
}

/** On Linux. Hashing yields to requests; of networks with several tasks, to other networks' hashing too. */
const niceness = { ordinary: 2, crowded: 15 };

/**
 * Threads for the tasks that have a turn, started on demand and not keeping the process alive. Tasks of a lost thread
 * fail with `ThreadLost`.
 */
export function createHashingThreadPool(file: URL, turns: FairLimit) {
  const threads = new Set<Thread>();

  return {
    run: (task: BcryptTask): Promise<Answer> =>
      turns.run(({ isCrowded }) => {
        const nice = isCrowded ? niceness.crowded : niceness.ordinary;
        return runIn(idle(nice) ?? start(nice), task);
      }),
  };

  function runIn(thread: Thread, task: BcryptTask): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    thread.job = { resolve, reject };
    thread.worker.ref();
    thread.worker.postMessage(task);
    return promise;
  }

  function idle(nice: number): Thread | undefined {
    for (const thread of threads) if (!thread.job && thread.niceness === nice) return thread;
    return undefined;
  }

  function start(nice: number): Thread {
    const worker = new Worker(file, { workerData: { niceness: nice } });
    const thread: Thread = { worker, niceness: nice, job: undefined };
    threads.add(thread);
    worker.on("message", (answer: Answer) => {
      const { job } = thread;
      thread.job = undefined;
      worker.unref();
      job?.resolve(answer);
    });
    const lost = (cause: unknown) => {
      threads.delete(thread);
      thread.job?.reject(new ThreadLost("A hashing thread ended", { cause }));
    };
    worker.on("error", lost).on("exit", lost);
    return thread;
  }
}
