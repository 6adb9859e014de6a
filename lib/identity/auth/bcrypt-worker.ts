import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { type BcryptTask, runBcrypt } from "./bcrypt-task.ts";

// On Linux threads have their own priority.
if (process.platform === "linux") setPriority(workerData.niceness);

parentPort?.on("message", async (task: BcryptTask) => parentPort?.postMessage(await runBcrypt(task)));
