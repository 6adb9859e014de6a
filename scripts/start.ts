/** `npm start`: the whole service in production, on any machine or in a container, until it is told to stop. */
import cluster from "node:cluster";
import { ConfigError } from "../lib/config.ts";
import { PortTaken } from "./server/http-server.ts";
import { CannotStart, keepWorkers } from "./server/primary.ts";
import { serverConfig } from "./server/settings.ts";
import { serveUntilStopped } from "./server/worker.ts";

try {
  await (cluster.isPrimary ? keepWorkers(serverConfig()) : serveUntilStopped());
  process.exit(0);
} catch (error) {
  const isExpected = [ConfigError, PortTaken, CannotStart].some((kind) => error instanceof kind);
  console.error(isExpected ? (error as Error).message : error);
  process.exit(1);
}
