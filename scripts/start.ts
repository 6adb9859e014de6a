/** `npm start`: the whole service in production, on any machine or in a container. */
import cluster from "node:cluster";
import { ConfigError } from "../lib/config.ts";
import { LogFilesNotWritable } from "../lib/platform/logging/log-files.ts";
import { CannotListen } from "../server/listen.ts";
import { CannotStart, keepWorkers } from "../server/primary.ts";
import { serverConfig } from "../server/settings.ts";
import { commandLine } from "./command-line.ts";

commandLine({
  usage: "npm start\n\nServes the whole service in production until it receives SIGTERM or SIGINT.",
});

try {
  if (cluster.isPrimary) await keepWorkers(serverConfig());
  // The primary process needs no code of the service.
  else await import("../server/worker.ts").then(({ serveUntilStopped }) => serveUntilStopped());
  process.exit(0);
} catch (error) {
  const isExpected = [ConfigError, LogFilesNotWritable, CannotListen, CannotStart].some(
    (kind) => error instanceof kind,
  );
  console.error(isExpected ? (error as Error).message : error);
  process.exit(1);
}
