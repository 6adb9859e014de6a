/** `npm run interop clients`: generates clients in several languages, and runs a learner's tasks with each. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ClientCheck } from "../../proof/clients/client-check.ts";
import { nextProjectCheck, nodeProjectCheck, viteProjectCheck } from "../../proof/clients/frontends.ts";
import { goClientCheck } from "../../proof/clients/go.ts";
import { javaClientCheck } from "../../proof/clients/java.ts";
import { registerLearnerForScenario } from "../../proof/clients/learner-scenario.ts";
import { oapiCodegenClientCheck } from "../../proof/clients/oapi-codegen.ts";
import { openapiPythonClientCheck } from "../../proof/clients/openapi-python-client.ts";
import { pythonClientCheck } from "../../proof/clients/python.ts";
import { findMissingTool } from "../../proof/clients/toolchain.ts";
import { typescriptClientCheck } from "../../proof/clients/typescript.ts";
import { documentFile } from "../build/openapi/write.ts";
import { commandLine, refuse } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import type { Platform } from "../dev/platform.ts";

const attempts: readonly ClientCheck[] = [
  ...[
    typescriptClientCheck,
    pythonClientCheck,
    openapiPythonClientCheck,
    javaClientCheck,
    goClientCheck,
    oapiCodegenClientCheck,
  ],
  ...[viteProjectCheck, nextProjectCheck, nodeProjectCheck],
];

/** A published demo course without prerequisites and with tutor items. */
const course = "CS-101";

const usage = `npm run interop clients -- [--only NAMES] [--base BASE_URL] [--keep]

Generates a TypeScript, two Python, a Java and two Go clients from docs/reference/openapi.json, compiles each, and has it do a
learner's job: sign in, enroll, hear the tutor, read the progress. The typed client is packed and installed into new
projects of Vite, Next and Node. Says of each whether it works: a tool that warns of anything has failed, but for what is
known not to be about the document (proof/clients/warnings.ts). What has no tools on this machine is left out.
The tools fetch their packages from npm, PyPI, Maven Central and the Go module proxy.

--only NAMES     some of them, such as python,go
--base BASE_URL  a running server with the demonstration; without it, one of its own
--keep           leaves the folder with everything that was made`;

async function tryOne(
  attempt: ClientCheck,
  folder: string,
  base: string,
): Promise<"ok" | "left out" | "failed"> {
  const missing = await findMissingTool(attempt.tools);
  if (missing) {
    console.log(`${attempt.name.padEnd(22)} not installed: ${missing}`);
    return "left out";
  }
  const began = performance.now();
  try {
    await mkdir(folder);
    const assignment = await registerLearnerForScenario(base, attempt.name, course);
    await attempt.make({ folder, document: fileURLToPath(documentFile), assignment });
    console.log(
      `${attempt.name.padEnd(22)} ok, in ${((performance.now() - began) / 1000).toFixed(0)} seconds`,
    );
    return "ok";
  } catch (error) {
    console.log(`${attempt.name.padEnd(22)} failed\n${error instanceof Error ? error.message : error}`);
    return "failed";
  }
}

const { flags } = commandLine({
  usage,
  flags: { only: { type: "string" }, base: { type: "string" }, keep: { type: "boolean", default: false } },
});
const wanted = flags.only?.toLowerCase().split(",");
const unknown = wanted?.find((name) => !attempts.some((one) => one.name.toLowerCase() === name));
if (unknown !== undefined) refuse(`--only accepts ${attempts.map(({ name }) => name).join(", ")}`, usage);

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-clients-"));
let platform: Platform | undefined;
try {
  if (!flags.base) platform = await startOwnPlatform(folder);
  const base = flags.base ?? platform?.base ?? "";
  for (const attempt of attempts.filter(({ name }) => !wanted || wanted.includes(name.toLowerCase())))
    if ((await tryOne(attempt, path.join(folder, attempt.name), base)) === "failed") process.exitCode = 1;
} finally {
  await platform?.stop();
  if (flags.keep) console.log(`All files are in ${folder}`);
  else await rm(folder, { recursive: true, force: true });
}
