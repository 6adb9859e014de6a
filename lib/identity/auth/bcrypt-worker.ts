import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type BcryptTask, runBcrypt } from "./bcrypt-task.ts";

// On Linux threads have their own priority. Hashing yields to requests.
if (process.platform === "linux") setPriority(5);

parentPort?.on("message", async (task: BcryptTask) => parentPort?.postMessage(await runBcrypt(task)));
