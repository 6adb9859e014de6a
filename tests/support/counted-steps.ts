import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const root = path.resolve(import.meta.dirname, "../..");

/**
 * Counts a function's steps: code blocks counted by V8, and characters read by string methods and patterns.
 * The count is the same on every machine. `work` gets the module's exports and the arguments, and cannot use
 * a closure.
 */
export async function stepsOf<Args extends unknown[]>(
  module: string,
  // biome-ignore lint/suspicious/noExplicitAny: the exports of a module that is loaded by name
  work: (exported: any, ...args: Args) => void,
  ...args: Args
): Promise<number> {
  const worker = new Worker(new URL("counting-thread.ts", import.meta.url), {
    workerData: { module: pathToFileURL(path.join(root, module)).href, work: String(work), args },
  });
  try {
    const [steps] = (await once(worker, "message")) as [number];
    return steps;
  } finally {
    await worker.terminate();
  }
}
