import { groups } from "../../functions/groups.ts";
import { loadConfig } from "../../lib/config.ts";
import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import { connectDatabase } from "../../lib/db/client.ts";
import { wire } from "../../lib/deps.ts";
import { shell } from "../../lib/http/shell.ts";
import { benchSettings } from "./environment.ts";

/** The whole app on a database, in this process, without a log. */
export function openWholeApp(url: string) {
  const config = loadConfig({
    ...benchSettings(url),
    ENABLE_ACCESS_LOG: "false",
  });
  const deps = wire(config, { database: connectDatabase({ url }), parts: cloudParts });
  return { deps, app: shell(deps, groups) };
}
