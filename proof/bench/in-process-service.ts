import { allEndpointGroups } from "../../functions/groups.ts";
import { loadConfig } from "../../lib/config.ts";
import { createDeps } from "../../lib/deps.ts";
import { createApp } from "../../lib/http/create-app.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { serverParts } from "../../server/parts.ts";
import { benchServiceSettings } from "./environment.ts";

/** The whole app on a database, in this process, without a log; its LLM, if any, is at `tutorUrl`. */
export async function createInProcessService(url: string, tutorUrl?: string) {
  const config = loadConfig({
    ...benchServiceSettings(url, tutorUrl),
    ENABLE_ACCESS_LOG: "false",
    // Readers sign in before the large database is loaded, which may take an hour.
    ACCESS_TOKEN_EXPIRE_MINUTES: "1440",
  });
  const deps = await createDeps(config, { database: await connectDatabase({ url }), parts: serverParts });
  return { deps, app: createApp(deps, allEndpointGroups) };
}
