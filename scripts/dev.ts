import { performance } from "node:perf_hooks";
import { type Platform, startPlatform } from "./local/platform.ts";
import { welcome } from "./local/welcome.ts";

const began = performance.now();
const starting = startPlatform({ accessLog: true, onProgress: (message) => console.log(message) });

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    console.log("\nStopping …");
    const platform: Platform | undefined = await starting.catch(() => undefined);
    await platform?.stop();
    process.exit(0);
  });

try {
  const platform = await starting;
  console.log(await welcome(platform, performance.now() - began));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
