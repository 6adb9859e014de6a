/** One process of the service as in `npm start`, on an existing database; sends mail if configured. */

import { createDeps } from "../../lib/deps.ts";
import { createBufferedLog } from "../../lib/platform/logging/buffered-log.ts";
import { startServer } from "../../server/http-server.ts";
import { startMail } from "../../server/mail.ts";
import { serverParts } from "../../server/parts.ts";
import { serverConfig } from "../../server/settings.ts";
import { takeLongestEventLoopTurnMs } from "./longest-event-loop-turn.ts";

const config = serverConfig();
const deps = await createDeps(config, { parts: serverParts, log: createBufferedLog(config).log });
const server = await startServer({ deps, port: 0 });
const mail = config.SMTP_URL ? startMail(deps) : undefined;
process.send?.({ url: server.url, secretKey: config.SECRET_KEY });
/** Replies with the longest turn of the event loop since the last question. */
process.on("message", (question) => {
  if (question === "longest turn") process.send?.(takeLongestEventLoopTurnMs());
});
process.once("disconnect", async () => {
  await server.close();
  await mail?.stop();
  await deps.close();
  process.exit(0);
});
