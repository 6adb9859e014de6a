/** `npm run interop scim`: third-party programs test and use SCIM. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createApiKey } from "../../proof/clients/create-api-key.ts";
import { findMissingTool, ToolFailure } from "../../proof/clients/toolchain.ts";
import {
  installScimTesters,
  runScimCommand,
  type ScimEndpoint,
} from "../../proof/scim-check/scim-testers.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import type { Platform } from "../dev/platform.ts";
import { demoRegistrar } from "../dev/seed/accounts.ts";

const { flags } = commandLine({
  usage: `npm run interop scim -- [--base BASE_URL --key KEY]

Runs scim2-tester (RFC 7643 and 7644) on /scim/v2. Then creates, finds, suspends and removes a person with scim2-cli. Both are
from PyPI. A missing program is named and is no failure.

--base BASE_URL  a running server; by default a new one with the demonstration
--key KEY        an API key there with the scope scim, of a test university`,
  flags: { base: { type: "string" }, key: { type: "string" } },
});

/** Provisions a person in a directory, by commands only. */
async function provision(program: string, folder: string, directory: ScimEndpoint): Promise<void> {
  const say = (...words: string[]) => runScimCommand(program, folder, directory, ...words);
  const userName = `cli-${crypto.randomUUID().slice(0, 8)}@example.edu`;
  const { id } = JSON.parse(await say("create", "user", "--user-name", userName, "--external-id", userName));
  const found = JSON.parse(await say("query", "user", "--filter", `userName eq "${userName}"`));
  if (found.totalResults !== 1) throw new Error(`${userName} is not found`);
  await say("replace", "user", "--id", id, "--user-name", userName, "--active", "false");
  if (JSON.parse(await say("query", "user", id)).active !== false) throw new Error(`${userName} is active`);
  await say("delete", "user", id);
  console.log("scim2-cli     ok: created, found, suspended, removed");
}

async function check(folder: string, directory: () => Promise<ScimEndpoint>): Promise<void> {
  const missing = await findMissingTool(["python3"]);
  if (missing) return console.log(`Nothing was checked: ${missing} is not installed.`);
  const program = await installScimTesters(folder).catch((error: unknown) => {
    if (!(error instanceof ToolFailure)) throw error;
    console.log(
      `Nothing was checked: scim2-tester and scim2-cli cannot be installed from PyPI here.\n${error.message}`,
    );
    return undefined;
  });
  if (!program) return;
  const asked = await directory();
  const said = await runScimCommand(program, folder, asked, "test", "--verbose");
  if (process.env["SCIM_CHECK_VERBOSE"]) console.log(said);
  // Each result begins with its status. The text below it may mention expected errors.
  const failed = said
    .split(/\n(?=[A-Z]+ \w)/)
    .filter((result) => /^(ERROR|CRITICAL|DEVIATION) /.test(result));
  if (failed.length > 0) throw new ToolFailure(`scim2-tester\n${failed.join("\n")}`);
  console.log(`scim2-tester  ok: ${said.match(/^SUCCESS /gm)?.length} checks`);
  await provision(program, folder, asked);
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-scim-check-"));
let platform: Platform | undefined;
try {
  await check(folder, async () => {
    if (flags.base) return { address: flags.base, key: flags.key ?? "" };
    platform = await startOwnPlatform(folder);
    return { address: platform.base, key: await createApiKey(platform.base, demoRegistrar, ["scim"]) };
  });
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  // The error of a failed command contains the key.
  console.log(error.message.replaceAll(/\blk_[\w-]+/g, "lk_…"));
  process.exitCode = 1;
} finally {
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
}
