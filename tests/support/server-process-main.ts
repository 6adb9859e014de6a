/** One server process of a deployment with several. Settings come from the environment. */
import { loadConfig } from "../../lib/config.ts";
import { createDeps } from "../../lib/deps.ts";
import { chooseProvider } from "../../lib/platform/llm/choose-llm-provider.ts";
import { startServer } from "../../server/http-server.ts";

const config = loadConfig();
const deps = await createDeps(config, { llm: chooseProvider(config) });
const server = await startServer({ deps, port: 0 });
process.send?.({ url: server.url });
process.once("SIGTERM", async () => {
  await server.close();
  await deps.close();
  process.exit(0);
});
process.once("disconnect", () => process.exit(0));
