import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BcryptTask, runBcrypt } from "./bcrypt-task.ts";
import { hashingThreads, ThreadLost } from "./hashing-threads.ts";

/** bcrypt reads no more of a password than this. */
const bytesConsidered = 72;

/** The password cut to 72 bytes of UTF-8 on a character boundary, as it is hashed and verified. */
export function cutPassword(password: string): string {
  const bytes = new TextEncoder().encode(password);
  if (bytes.length <= bytesConsidered) return password;
  let end = bytesConsidered;
  while (isContinuation(bytes[end])) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end));
}

/** The bcrypt hash with its own salt; `cost` is the logarithm of the rounds. */
export const hashPassword = (password: string, cost: number): Promise<string> =>
  run({ password: cutPassword(password), cost }, cost) as Promise<string>;

/**
 * Whether the password belongs to the hash. Without a hash (no such account, or one without a password) the
 * same comparison runs against a stand-in of the same cost, so that the time tells nothing.
 */
export async function verifyPassword(password: string, hash: string | null | undefined, cost: number) {
  const task = { password: cutPassword(password), hash: hash ?? dummyHash(cost) };
  const matches = await run(task, cost);
  return matches === true && Boolean(hash);
}

/** A well-formed hash of that cost that no password is known to match. */
const dummyHash = (cost: number): string =>
  `$2b$${String(cost).padStart(2, "0")}$abcdefghijklmnopqrstuu5Lm1GlEFYvnR4cQ0uDcvEZX2yVr0xWe`;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const workerFile = new URL("./bcrypt-worker.ts", import.meta.url);

/** A packaged function is one file, without the worker's, and has no other request that would wait. */
const threads = existsSync(fileURLToPath(workerFile)) ? hashingThreads(workerFile) : undefined;

/** Below it a hash takes less time than a busy thread takes to answer. */
const LEAST_COST_FOR_THREADS = 8;

/** Off the thread that answers requests, where there are threads for it. */
async function run(task: BcryptTask, cost: number): Promise<string | boolean> {
  if (!threads || cost < LEAST_COST_FOR_THREADS) return runBcrypt(task);
  return threads
    .run(task)
    .catch((error) => (error instanceof ThreadLost ? runBcrypt(task) : Promise.reject(error)));
}
