import { on } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { currentRequest } from "../async/request-context.ts";
import {
  badRequest,
  callerLeft,
  HttpError,
  tooManyRequests,
  unavailable,
  ValidationError,
} from "../errors.ts";
import { nextBytes, type Said } from "./reading.ts";
import type { SentFile } from "./sent-file.ts";

/** What all threads together, each of them, and each person may take. */
export type ReadingLimits = {
  threads: number;
  /** Of one person: one is read while the others wait. */
  files: number;
  /** Of all people together. */
  waitingFiles: number;
  /** Of a processor, for one file. */
  seconds: number;
  /** By the clock, for one file: that a machine has no time is not the file's fault. */
  timeoutSeconds: number;
  /** Of V8's heap, for one file. */
  megabytes: number;
};

const usual: ReadingLimits = {
  ...{ threads: 2, files: 3, waitingFiles: 50 },
  ...{ seconds: 5, timeoutSeconds: 20, megabytes: 192 },
};

type Reading = {
  file: URL;
  input: unknown;
  sent: SentFile | undefined;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
};

/**
 * Threads that read files, each of them one: what takes too much ends its thread alone, and only whoever sent it waits.
 * People take turns, so that many files of one do not stand before one of another, and whoever hangs up leaves.
 */
export function readingThreads(limits: ReadingLimits) {
  /** What waits, by person, in the order of their turns. */
  const queues = new Map<number, Reading[]>();
  const running = new Set<number>();

  return {
    /**
     * What the thread of that file reads of the input, and of a file that was sent before, for a person. Throws what it
     * refuses; a 400 for what takes too much time or memory, a 429 with too many files of that person, a 503 with too many
     * of all, and a 499 when who asks for it in the request that is being answered has left before it was begun.
     */
    read<Output>(file: URL, input: unknown, person: number, sent?: SentFile): Promise<Output> {
      const own = queues.get(person) ?? [];
      if (own.length + Number(running.has(person)) >= limits.files)
        return Promise.reject(tooManyRequests("Other files of yours are still being read", limits.seconds));
      const waiting = [...queues.values()].reduce((sum, queue) => sum + queue.length, 0);
      if (waiting >= limits.waitingFiles)
        return Promise.reject(unavailable("Too many files are being read at once"));
      const caller = currentRequest()?.caller;
      if (caller?.destroyed) return Promise.reject(callerLeft());
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const reading: Reading = { file, input, sent, resolve, reject };
      const leave = () => {
        if (forget(person, reading)) reject(callerLeft());
      };
      caller?.once("close", leave);
      queues.set(person, [...own, reading]);
      next();
      return promise.finally(() => caller?.off("close", leave)) as Promise<Output>;
    },
  };

  /** Takes one out that has not begun; false where it has. */
  function forget(person: number, reading: Reading): boolean {
    const own = queues.get(person);
    if (!own?.includes(reading)) return false;
    const others = own.filter((one) => one !== reading);
    if (others.length > 0) queues.set(person, others);
    else queues.delete(person);
    return true;
  }

  function next(): void {
    const [person, queue] = [...queues].find(([one]) => !running.has(one)) ?? [];
    if (person === undefined || !queue || running.size >= limits.threads) return;
    const [reading, ...others] = queue;
    // Whoever has had a turn goes behind all who wait.
    queues.delete(person);
    if (others.length > 0) queues.set(person, others);
    if (reading) void run(person, reading);
  }

  async function run(person: number, { resolve, reject, ...reading }: Reading): Promise<void> {
    running.add(person);
    await readAlone(reading, limits).then(resolve, reject);
    running.delete(person);
    next();
  }
}

/** Starts the thread, and ends it in any case. */
async function readAlone(
  { file, input, sent }: Pick<Reading, "file" | "input" | "sent">,
  limits: ReadingLimits,
): Promise<unknown> {
  const ended = new AbortController();
  const thread = new Worker(file, {
    workerData: input,
    resourceLimits: {
      maxOldGenerationSizeMb: limits.megabytes,
      maxYoungGenerationSizeMb: limits.megabytes / 8,
    },
  });
  try {
    const said = await Promise.race([
      saidBy(thread, limits),
      whenTooLong(thread, limits, ended.signal),
      ...(sent ? [tellBytes(thread, sent, ended.signal)] : []),
    ]);
    if ("value" in said) return said.value;
    throw "faults" in said ? new ValidationError(said.faults) : new HttpError(said.status, said.detail);
  } finally {
    ended.abort();
    await thread.terminate();
  }
}

/** Rejects when the thread ends without a word. */
const saidBy = (thread: Worker, { megabytes }: ReadingLimits): Promise<Said<unknown>> =>
  new Promise((resolve, reject) => {
    thread.on("message", (word: Said<unknown> | typeof nextBytes) => {
      if (word !== nextBytes) resolve(word);
    });
    thread.once("error", (error: NodeJS.ErrnoException) => {
      const isOutOfMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      reject(isOutOfMemory ? badRequest(`Reading the file takes more than ${megabytes} MB`) : error);
    });
    thread.once("exit", (code) => reject(new Error(`A thread that read a file ended with ${code}`)));
  });

/** Tells the thread the next bytes whenever it asks for them: no more are held than it can take. Rejects where there are none. */
async function tellBytes(thread: Worker, { open }: SentFile, ended: AbortSignal): Promise<never> {
  const asked = on(thread, "message", { signal: ended });
  let chunks: AsyncIterator<Uint8Array> | undefined;
  try {
    for await (const [word] of asked) {
      if (word !== nextBytes) break;
      chunks ??= (await open())[Symbol.asyncIterator]();
      const { done, value } = await chunks.next();
      thread.postMessage(done ? null : Uint8Array.from(value));
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  } finally {
    await chunks?.return?.();
  }
  return new Promise(() => {});
}

const nothing = { user: 0, system: 0 };
const noBytes = { external_memory: 0 };

/** Rejects when the thread has had all its time, or holds more outside of its heap, such as what it unpacks. */
async function whenTooLong(
  thread: Worker,
  { seconds, timeoutSeconds, megabytes }: ReadingLimits,
  ended: AbortSignal,
): Promise<never> {
  const stopped = AbortSignal.any([ended, AbortSignal.timeout(timeoutSeconds * 1000)]);
  const whenStopped = new Promise<typeof nothing>((resolve) => {
    stopped.addEventListener("abort", () => resolve(nothing));
  });
  while (!stopped.aborted) {
    await Promise.race([sleep(100, nothing, { ref: false }), whenStopped]);
    // A thread that only starts, or ends already, does not say.
    const { user, system } = await Promise.race([thread.cpuUsage().catch(() => nothing), whenStopped]);
    if (user + system > seconds * 1e6)
      throw badRequest(`Reading the file takes more than ${seconds} seconds of a processor`);
    const held = thread.getHeapStatistics().catch(() => noBytes);
    const { external_memory } = await Promise.race([held, whenStopped.then(() => noBytes)]);
    if (external_memory > megabytes * 2 ** 20)
      throw badRequest(`Reading the file takes more than ${megabytes} MB`);
  }
  throw unavailable("There is no time to read the file now");
}

/** Those of this process. */
export const fileReader = readingThreads(usual);
