/** `npm run interop files`: runs the file store's tests against a third-party S3 store. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findMissingTool, ToolFailure } from "../../proof/clients/toolchain.ts";
import {
  buildGateway,
  gatewayCredentials,
  startGatewayWithBucket,
} from "../../proof/files-check/versitygw.ts";
import { commandLine } from "../command-line.ts";

const { flags } = commandLine({
  usage: `npm run interop files -- [--store SETTING]

Runs the tests of the file store against versitygw, which checks signatures. Go builds it the first time, in some minutes. A
missing program is named and is no failure.

--store SETTING  another bucket, as FILE_STORE names it, with its keys in AWS_ACCESS_KEY_ID and
                 AWS_SECRET_ACCESS_KEY; an empty one`,
  flags: { store: { type: "string" } },
});

/** Outages and object ages can only be simulated by the tests' own stand-in. */
const leftOut = "Not checked: a store that is unreachable, slow or full, and the daily sweep.";

async function runSuite(setting: string, environment: Record<string, string>): Promise<number> {
  const words = [
    "vitest",
    "run",
    "--configLoader",
    "native",
    "tests/unit/platform/file-store/file-store.test.ts",
  ];
  const env = { ...process.env, ...environment, FILE_STORE_UNDER_TEST: setting };
  const [code] = await once(spawn("npx", words, { stdio: "inherit", env }), "exit");
  console.log(leftOut);
  return code ?? 1;
}

async function askGateway(folder: string): Promise<number> {
  const missing = await findMissingTool(["go"]);
  if (missing) {
    console.log(`Nothing was checked: ${missing} is required to build versitygw, and is not installed.`);
    return 0;
  }
  const program = await buildGateway(folder).catch((error: unknown) => {
    if (!(error instanceof ToolFailure)) throw error;
    console.log(`Nothing was checked: versitygw cannot be built here.\n${error.message}`);
    return undefined;
  });
  if (!program) return 0;
  const gateway = await startGatewayWithBucket(program, folder);
  const environment = {
    AWS_ACCESS_KEY_ID: gatewayCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: gatewayCredentials.secretAccessKey,
  };
  return runSuite(gateway.setting, environment).finally(gateway.stop);
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-files-check-"));
try {
  process.exitCode = flags.store ? await runSuite(flags.store, {}) : await askGateway(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
