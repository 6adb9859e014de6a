import { on } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import {
  badRequest,
  clientClosedRequestError,
  HttpError,
  tooManyRequests,
  unavailable,
  ValidationError,
} from "../../errors.ts";
import { currentRequest } from "../async/request-context.ts";
import { createIdleThreadPool } from "./idle-threads.ts";
import { nextChunkRequest, type ThreadResult } from "./reader-thread.ts";
import type { UploadedFile } from "./uploaded-file.ts";

export type ReadingLimits = {
  threads: number;
  /** Files of one user: one is read while the others wait. */
  files: number;
  /** Seconds that a small file waits if its user has that many files already. */
  waitSeconds: number;
  /** Waiting files of all users. */
  waitingFiles: number;
  /** CPU seconds per file. */
  seconds: number;
  /** Wall-clock seconds per file. A timeout means an overloaded machine, not a bad file. */
  timeoutSeconds: number;
  /** V8 heap per file. */
  megabytes: number;
};

const defaultReadingLimits: ReadingLimits = {
  ...{ threads: 2, files: 3, waitSeconds: 10, waitingFiles: 50 },
  ...{ seconds: 5, timeoutSeconds: 20, megabytes: 192 },
};

/** Data inside a request is small, and so are uploads up to this size. */
const smallBytes = 2 ** 20;

const isSmall = (sent: UploadedFile | undefined): boolean => sent === undefined || sent.size <= smallBytes;

type Reading = {
  file: URL;
  input: unknown;
  sent: UploadedFile | undefined;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
};

/**
 * Worker threads that read one file each. A file over a limit ends only its own thread. The queue is fair per
 * user; callers that hang up leave it. A thread whose result passes `stays` is reused and needs
 * `serveReadTasksAsWorker`.
 */
export function createReaderThreadPool(
  limits: ReadingLimits,
  stays: (read: unknown) => boolean = () => false,
) {
  const kept = createIdleThreadPool();
  const queues = new Map<number | string, Reading[]>();
  const running = new Set<number | string>();

  return {
    /**
     * Throws the thread's errors. 400: too much time or memory. 429: too many files of this user; a small
     * file first waits for its turn. 503: too many files of all users. 499: the caller hung up before it
     * began.
     */
    read<Output>(file: URL, input: unknown, person: number | string, sent?: UploadedFile): Promise<Output> {
      const own = queues.get(person) ?? [];
      const hasEnough = own.length + Number(running.has(person)) >= limits.files;
      const tooMany = () => tooManyRequests("own_files_being_read", limits.seconds);
      if (own.length >= limits.waitingFiles || (hasEnough && !isSmall(sent)))
        return Promise.reject(tooMany());
      // One user's surplus must not block others.
      const waiting = [...queues.values()].reduce(
        (sum, queue) => sum + Math.min(queue.length, limits.files),
        0,
      );
      if (waiting >= limits.waitingFiles) return Promise.reject(unavailable("too_many_files_being_read"));
      const caller = currentRequest()?.caller;
      if (caller?.destroyed) return Promise.reject(clientClosedRequestError());
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const reading: Reading = { file, input, sent, resolve, reject };
      const leave = () => {
        if (forget(person, reading)) reject(clientClosedRequestError());
      };
      caller?.once("close", leave);
      queues.set(person, [...own, reading]);
      next();
      const giveUp = () => {
        if (forget(person, reading)) reject(tooMany());
      };
      const timer = hasEnough ? setTimeout(giveUp, limits.waitSeconds * 1000) : undefined;
      return promise.finally(() => {
        clearTimeout(timer);
        caller?.off("close", leave);
      }) as Promise<Output>;
    },
  };

  function forget(person: number | string, reading: Reading): boolean {
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
    // After a turn, the user goes to the end.
    queues.delete(person);
    if (others.length > 0) queues.set(person, others);
    if (reading) void run(person, reading);
  }

  async function run(person: number | string, { resolve, reject, ...reading }: Reading): Promise<void> {
    running.add(person);
    await readAlone(reading).then(resolve, reject);
    running.delete(person);
    next();
  }

  /** Starts or reuses a thread, and ends it unless it may stay. */
  async function readAlone({
    file,
    input,
    sent,
  }: Pick<Reading, "file" | "input" | "sent">): Promise<unknown> {
    const ended = new AbortController();
    const former = kept.take(file);
    const thread = former ?? startThread(file, input, limits);
    former?.postMessage(input);
    let isToStay = false;
    try {
      const said = await Promise.race([
        saidBy(thread, limits, ended.signal),
        whenTooLong(thread, limits, ended.signal, former === undefined),
        ...(sent ? [tellBytes(thread, sent, ended.signal)] : []),
      ]);
      if ("value" in said) {
        isToStay = stays(said.value);
        return said.value;
      }
      throw "issues" in said
        ? new ValidationError(said.issues)
        : new HttpError(said.status, said.code, said.detail, { values: said.values });
    } finally {
      ended.abort();
      if (isToStay) kept.keep(file, thread);
      else await thread.terminate();
    }
  }
}

function startThread(file: URL, input: unknown, { megabytes }: ReadingLimits): Worker {
  const thread = new Worker(file, {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: megabytes / 8 },
  });
  // The waiting caller receives the error separately; an idle thread has no listener.
  return thread.on("error", () => {});
}

/** Rejects if the thread ends without a result. */
const saidBy = (
  thread: Worker,
  { megabytes }: ReadingLimits,
  ended: AbortSignal,
): Promise<ThreadResult<unknown>> =>
  new Promise((resolve, reject) => {
    const hear = (word: ThreadResult<unknown> | typeof nextChunkRequest) => {
      if (word !== nextChunkRequest) resolve(word);
    };
    const fail = (error: NodeJS.ErrnoException) => {
      const isOutOfMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      reject(isOutOfMemory ? badRequest("reading_takes_memory", { megabytes }) : error);
    };
    const end = (code: number) => reject(new Error(`A thread that read a file ended with ${code}`));
    thread.on("message", hear).once("error", fail).once("exit", end);
    ended.addEventListener("abort", () => {
      thread.off("message", hear).off("error", fail).off("exit", end);
    });
  });

/** On request, so memory stays bounded. Rejects if there is none. */
async function tellBytes(thread: Worker, { open }: UploadedFile, ended: AbortSignal): Promise<never> {
  const asked = on(thread, "message", { signal: ended });
  let chunks: AsyncIterator<Uint8Array> | undefined;
  try {
    for await (const [word] of asked) {
      if (word !== nextChunkRequest) break;
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

/** Rejects above the time, or the memory outside the heap, such as unpacked data. */
async function whenTooLong(
  thread: Worker,
  { seconds, timeoutSeconds, megabytes }: ReadingLimits,
  ended: AbortSignal,
  isNew: boolean,
): Promise<never> {
  // A reused thread has spent CPU time on other files.
  let before = isNew ? 0 : undefined;
  const stopped = AbortSignal.any([ended, AbortSignal.timeout(timeoutSeconds * 1000)]);
  const whenStopped = new Promise<typeof nothing>((resolve) => {
    stopped.addEventListener("abort", () => resolve(nothing));
  });
  while (!stopped.aborted) {
    await Promise.race([sleep(100, nothing, { ref: false }), whenStopped]);
    // A thread that is starting or ending reports no usage.
    const { user, system } = await Promise.race([thread.cpuUsage().catch(() => nothing), whenStopped]);
    before ??= user + system;
    if (user + system - before > seconds * 1e6) throw badRequest("reading_takes_time", { seconds });
    const held = thread.getHeapStatistics().catch(() => noBytes);
    const { external_memory } = await Promise.race([held, whenStopped.then(() => noBytes)]);
    if (external_memory > megabytes * 2 ** 20) throw badRequest("reading_takes_memory", { megabytes });
  }
  throw unavailable("no_time_to_read");
}

export const fileReaderThreadPool = createReaderThreadPool(defaultReadingLimits);
