/** `npm run interop one-roster`: a third-party client reads rosters and results. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createApiKey } from "../../proof/clients/create-api-key.ts";
import { tryInstallingPythonWithPackages } from "../../proof/clients/python-environment.ts";
import { runCommandRejectingWarnings, ToolFailure } from "../../proof/clients/toolchain.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import type { Platform } from "../dev/platform.ts";
import { demoRegistrar } from "../dev/seed/accounts.ts";

const { flags } = commandLine({
  usage: `npm run interop one-roster -- [--base BASE_URL --key KEY]

Reads /ims/oneroster with strongmind-oneroster-client from PyPI, by pages and with a filter. A missing program is named and is
no failure.

--base BASE_URL  a running server; by default a new one with the demonstration
--key KEY        an API key there with the scopes people:read and grades:read`,
  flags: { base: { type: "string" }, key: { type: "string" } },
});

const script = path.resolve(import.meta.dirname, "../../proof/one-roster-check/read_rosters.py");

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-one-roster-check-"));
let platform: Platform | undefined;
try {
  const python = await tryInstallingPythonWithPackages(folder, "strongmind-oneroster-client==2.0.5");
  if (python) {
    if (!flags.base) platform = await startOwnPlatform(folder);
    const base = flags.base ?? platform?.base ?? "";
    const key = flags.key ?? (await createApiKey(base, demoRegistrar, ["people:read", "grades:read"]));
    const service = new URL("/ims/oneroster", base).href;
    console.log(await runCommandRejectingWarnings(folder, python, script, service, key));
  }
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  // The error of a failed command contains the key.
  console.log(error.message.replaceAll(/\blk_[\w-]+/g, "lk_…"));
  process.exitCode = 1;
} finally {
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
}
