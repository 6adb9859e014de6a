/** `npm run dev`: everything on this machine, until Ctrl-C. */
import { type Platform, startPlatform } from "./local/platform.ts";
import { welcome } from "./local/welcome.ts";

const starting = startPlatform({ accessLog: true, onProgress: (message) => console.log(message) });

let stopping = false;

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  console.log("\nStopping …");
  const platform: Platform | undefined = await starting.catch(() => undefined);
  await platform?.stop();
  process.exit(0);
}

process.once("SIGINT", stop);
process.once("SIGTERM", stop);

// npm does not pass a SIGTERM on. Its going away is the sign.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"]) setInterval(() => process.ppid !== parent && stop(), 500).unref();

try {
  const platform = await starting;
  console.log(await welcome(platform, performance.now()));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
