/** `npm run dev`: everything on this machine, until Ctrl-C; the server starts again whenever its code changes. */
import { fork } from "node:child_process";
import path from "node:path";
import { nodeArguments } from "../server/node-arguments.ts";
import { commandLine } from "./command-line.ts";
import type { DevServerStart } from "./dev/dev-server.ts";
import { openFoundation } from "./dev/foundation.ts";
import { startRestartingServer } from "./dev/restarting-server.ts";

commandLine({
  usage: `npm run dev

Everything on this machine, with a database and a tutor for practice, until Ctrl-C. Settings stand in .env.`,
});

const root = path.resolve(import.meta.dirname, "..");
const report = (message: string) => console.log(message);

async function start() {
  const foundation = await openFoundation({ onProgress: report });
  const { databaseUrl, tutorUrl } = foundation;
  let isWelcome = true;
  const server = startRestartingServer({
    start() {
      const began = isWelcome ? performance.timeOrigin : Date.now();
      const given: DevServerStart = { databaseUrl, ...(tutorUrl && { tutorUrl }), isWelcome, began };
      const script = path.join(root, "scripts/dev/dev-server.ts");
      const child = fork(script, [JSON.stringify(given)], { execArgv: nodeArguments });
      child.once("message", () => {
        isWelcome = false;
      });
      return child;
    },
    folders: ["app/src", "app/styles", "app/texts", "functions", "lib", "schema", "server"].map((folder) =>
      path.join(root, folder),
    ),
    report,
  });
  return { server, foundation };
}

const starting = start();
let stopping = false;

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  console.log("\nStopping …");
  const started = await starting.catch(() => undefined);
  await started?.server.stop();
  await started?.foundation[Symbol.asyncDispose]();
  process.exit(0);
}

process.once("SIGINT", stop);
process.once("SIGTERM", stop);

// npm does not pass a SIGTERM on. Its going away is the sign.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"]) setInterval(() => process.ppid !== parent && stop(), 500).unref();

starting.catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
