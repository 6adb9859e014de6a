/** One thread that hashes passwords for the thread that answers requests: one task at a time, answered in order. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type BcryptTask, runBcrypt } from "./bcrypt-task.ts";

// On Linux a thread has a priority of its own: requests that need a moment go before a hash, which takes long anyway.
if (process.platform === "linux") setPriority(5);

parentPort?.on("message", async (task: BcryptTask) => parentPort?.postMessage(await runBcrypt(task)));
