/** A process that runs prompt trials on request, and reports the duration. */

import { createDeps, withScheduleDb } from "../../lib/deps.ts";
import { workTrials } from "../../lib/tutor/trials/work.ts";
import { serverParts } from "../../server/parts.ts";
import { serverConfig } from "../../server/settings.ts";

const deps = await createDeps(serverConfig(), { parts: serverParts });
process.send?.({ url: "none" });
process.on("message", async () => {
  const started = performance.now();
  const { cases } = await workTrials(withScheduleDb(deps), AbortSignal.timeout(300_000));
  process.send?.({ cases, milliseconds: performance.now() - started });
});
process.once("disconnect", async () => {
  await deps.close();
  process.exit(0);
});
