/** `npm run scale-data`: loads a large made-up platform into the database, to see how the service does with it. */
import { runScript } from "./local/run-script.ts";
import { loadScaleData } from "./scale/load.ts";
import { progressBar } from "./scale/progress-bar.ts";
import { largeSize } from "./scale/size.ts";

await runScript(async (databaseUrl) => {
  const began = performance.now();
  await loadScaleData(databaseUrl, largeSize, progressBar());
  return `Loaded in ${Math.round((performance.now() - began) / 1000)} seconds`;
});
