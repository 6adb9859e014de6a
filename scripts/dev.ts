/** `npm run dev`: runs everything on this machine until Ctrl-C; the server restarts when code changes. */
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { migrationBlocker } from "../lib/platform/db/migrations/inspect.ts";
import { readEnvironment } from "../server/environment.ts";
import { nodeArguments } from "../server/node-arguments.ts";
import { commandLine } from "./command-line.ts";
import { dataDirOf } from "./dev/data-dir.ts";
import type { DevServerStart } from "./dev/dev-server.ts";
import { type Foundation, openFoundation } from "./dev/foundation.ts";
import { setAside, wantsNewFolder } from "./dev/new-folder.ts";
import { type RestartingServer, startRestartingServer } from "./dev/restarting-server.ts";
import { isDatabaseGiven } from "./ops/database.ts";

const { fresh } = commandLine({
  usage: `npm run dev [-- --fresh]

Runs everything on this machine until Ctrl-C, with a database and a practice tutor. Settings are in .env. With --fresh, it starts
with a new data folder, and keeps the old one next to it.`,
  flags: { fresh: { type: "boolean", default: false } },
}).flags;

const root = path.resolve(import.meta.dirname, "..");
const report = (message: string) => console.log(message);

/** The database and the tutor; offers a new data folder if the old one is unusable for this version. */
async function foundationOf(): Promise<Foundation> {
  const environment = readEnvironment();
  if (isDatabaseGiven(environment)) return openFoundation({ onProgress: report });
  const dataDir = dataDirOf(environment);
  if (fresh && existsSync(dataDir)) report(`The old data is in ${await setAside(dataDir)}`);
  const foundation = await openFoundation({ onProgress: report });
  const reason = await migrationBlocker(foundation.databaseUrl);
  if (reason === undefined) return foundation;
  await foundation[Symbol.asyncDispose]();
  if (!(await wantsNewFolder(reason, dataDir))) throw new Error(reason);
  report(`The old data is in ${await setAside(dataDir)}`);
  return openFoundation({ onProgress: report });
}

/** The server loads its code while the database starts. */
function startServer(foundation: Promise<Foundation>): RestartingServer {
  let isWelcome = true;
  return startRestartingServer({
    start() {
      const began = isWelcome ? performance.timeOrigin : Date.now();
      const child = fork(path.join(root, "scripts/dev/dev-server.ts"), { execArgv: nodeArguments });
      const send = ({ databaseUrl, tutorUrl }: Foundation) => {
        const given: DevServerStart = { databaseUrl, ...(tutorUrl && { tutorUrl }), isWelcome, began };
        if (child.connected) child.send(given);
      };
      foundation.then(send, () => {});
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
}

async function start() {
  const opening = foundationOf();
  const server = startServer(opening);
  const foundation = await opening;
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

// npm does not forward SIGTERM, so its exit is the signal.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"]) setInterval(() => process.ppid !== parent && stop(), 500).unref();

starting.catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
