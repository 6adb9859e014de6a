import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fairLimits } from "../../platform/async/fair-limits.ts";
import { type BcryptTask, runBcrypt } from "./bcrypt-task.ts";
import { createHashingThreadPool, ThreadLost } from "./hashing-threads.ts";

/** bcrypt ignores the rest of a password. */
const bytesConsidered = 72;

/** Cuts to 72 bytes of UTF-8 at a character boundary. */
export function truncatePasswordForBcrypt(password: string): string {
  const bytes = new TextEncoder().encode(password);
  if (bytes.length <= bytesConsidered) return password;
  let end = bytesConsidered;
  while (isContinuation(bytes[end])) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end));
}

/** `cost` is the log2 of the rounds. */
export const hashPassword = (password: string, cost: number): Promise<string> =>
  run({ password: truncatePasswordForBcrypt(password), cost }, cost) as Promise<string>;

/** Without a hash, compares a dummy of the same cost: timing must not reveal accounts. */
export async function verifyPassword(password: string, hash: string | null | undefined, cost: number) {
  const task = { password: truncatePasswordForBcrypt(password), hash: hash ?? dummyHash(cost) };
  const matches = await run(task, cost);
  return matches === true && Boolean(hash);
}

/** A valid hash without a known password. */
const dummyHash = (cost: number): string =>
  `$2b$${String(cost).padStart(2, "0")}$abcdefghijklmnopqrstuu5Lm1GlEFYvnR4cQ0uDcvEZX2yVr0xWe`;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const workerFile = new URL("./bcrypt-worker.ts", import.meta.url);

/** Packaged functions omit the worker file. They serve one request at a time and need no threads. */
const threads = existsSync(fileURLToPath(workerFile))
  ? createHashingThreadPool(workerFile, fairLimits.processor)
  : undefined;

/** Below this cost, hashing inline is faster than a round trip to a worker thread. */
const LEAST_COST_FOR_THREADS = 8;

async function run(task: BcryptTask, cost: number): Promise<string | boolean> {
  const inline = () => runBcrypt(task);
  if (!threads || cost < LEAST_COST_FOR_THREADS) return fairLimits.processor.run(inline);
  return threads.run(task).catch((error) => (error instanceof ThreadLost ? inline() : Promise.reject(error)));
}
