/** `npm run scale-data`: loads a large synthetic platform into the database, for scale tests. */

import { loadScaleData } from "../proof/scale/load.ts";
import { largeScaleSize } from "../proof/scale/size.ts";
import { commandLine } from "./command-line.ts";
import { progressBar } from "./ops/progress-bar.ts";
import { runScript } from "./ops/run-script.ts";

commandLine({
  usage: "npm run scale-data\n\nLoads a large synthetic data set into the database. This takes minutes.",
});

await runScript(async (databaseUrl) => {
  const began = performance.now();
  await loadScaleData(databaseUrl, largeScaleSize, progressBar());
  return `Loaded in ${Math.round((performance.now() - began) / 1000)} seconds`;
});
