import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const root = path.resolve(import.meta.dirname, "../..");

/**
 * How many steps a function takes: the blocks of code that V8 counts, and the characters that string methods and patterns
 * read. The count is the same on every machine. `work` gets the module's exports and the arguments, and has no closure.
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
