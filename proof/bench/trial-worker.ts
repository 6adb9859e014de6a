/** A process that runs prompt trials on request, and reports the duration. */

import { createDeps, withScheduleDb } from "../../lib/deps.ts";
import { processTrials } from "../../lib/tutor/trials/work.ts";
import { serverParts } from "../../server/parts.ts";
import { serverConfig } from "../../server/settings.ts";

const deps = await createDeps(serverConfig(), { parts: serverParts });
process.send?.({ url: "none" });
process.on("message", async () => {
  const started = performance.now();
  const { cases } = await processTrials(withScheduleDb(deps), AbortSignal.timeout(300_000));
  process.send?.({ cases, milliseconds: performance.now() - started });
});
process.once("disconnect", async () => {
  await deps.close();
  process.exit(0);
});
