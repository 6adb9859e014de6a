/**
 * The server process of `npm run dev`, replaced when code changes. Its parent sends a `DevServerStart` when the database
 * runs. It stops when its parent disconnects.
 */
import { buildApp, CannotBuild } from "../../app/build.ts";
import { CannotMigrate } from "../../lib/platform/db/migrations/migration-history.ts";
import type { Foundation } from "./foundation.ts";
import { type Platform, startOn } from "./platform.ts";
import { welcome } from "./welcome.ts";

export type DevServerStart = Pick<Foundation, "databaseUrl" | "tutorUrl"> & {
  /** True for the first start, which prints the welcome. */
  isWelcome: boolean;
  /** In milliseconds since 1970. */
  began: number;
};

// Ctrl-C reaches all processes of the terminal; the parent then disconnects.
process.on("SIGINT", () => {});
const released = new Promise<void>((resolve) => {
  process.once("disconnect", resolve);
  if (!process.connected) resolve();
});

// While the database starts. A failure is reported when the server needs the application.
const built = buildApp();
built.catch(() => {});

const given = await Promise.race([
  new Promise<DevServerStart>((resolve) => process.once("message", resolve)),
  released,
]);
if (!given) {
  await built.catch(() => {});
  process.exit(0);
}
const { isWelcome, began, ...foundation } = given;

const platform = await start().catch((error) => {
  const isExpected = error instanceof CannotBuild || error instanceof CannotMigrate;
  console.error(isExpected ? error.message : error);
  process.exit(1);
});
const milliseconds = Date.now() - began;
console.log(
  isWelcome ? await welcome(platform, milliseconds) : `Ready again in ${(milliseconds / 1000).toFixed(1)} s`,
);
process.send?.("ready");
await released;
await platform.stop();
process.exit(0);

async function start(): Promise<Platform> {
  await built;
  return startOn(foundation, { accessLog: true, onProgress: (message) => console.log(message) });
}
