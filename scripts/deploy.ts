/** `npm run deploy -- --stage production`: packages, checks the settings, migrates, and replaces the code. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { migrate } from "../lib/db/migrate.ts";
import { deploy } from "./local/deployment.ts";
import { serverless } from "./local/package-service.ts";
import { readSecretSettings } from "./local/secret-settings.ts";

try {
  await deploy(process.argv.slice(2), {
    readSecret: readSecretSettings,
    async serverless(options) {
      const [code] = await once(
        spawn(process.execPath, [serverless, ...options], { stdio: "inherit" }),
        "exit",
      );
      if (code !== 0) throw new Error(`serverless ${options[0]} failed`);
    },
    async packagedEnvironment() {
      const state = JSON.parse(await readFile(".serverless/serverless-state.json", "utf8"));
      return state.service.provider.environment;
    },
    migrate: (url) => migrate(url),
    report: (message) => console.log(message),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
