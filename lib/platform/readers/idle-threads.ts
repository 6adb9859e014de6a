import type { Worker } from "node:worker_threads";

const idleMs = 30_000;

type Waiting = { thread: Worker; timer: NodeJS.Timeout; end: () => void };

/** Idle worker threads, with their modules loaded. */
export function createIdleThreadPool() {
  const waiting = new Map<string, Waiting[]>();

  const forget = (file: URL, thread: Worker) => {
    const others = waiting.get(file.href)?.filter((one) => one.thread !== thread) ?? [];
    if (others.length > 0) waiting.set(file.href, others);
    else waiting.delete(file.href);
  };

  return {
    take(file: URL): Worker | undefined {
      const one = waiting.get(file.href)?.at(-1);
      if (!one) return undefined;
      clearTimeout(one.timer);
      one.thread.off("exit", one.end);
      forget(file, one.thread);
      one.thread.ref();
      return one.thread;
    },
    /** Does not keep the process alive. */
    keep(file: URL, thread: Worker): void {
      thread.unref();
      const end = () => forget(file, thread);
      thread.once("exit", end);
      const timer = setTimeout(() => {
        end();
        void thread.terminate();
      }, idleMs).unref();
      waiting.set(file.href, [...(waiting.get(file.href) ?? []), { thread, timer, end }]);
    },
  };
}
