import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const fileOf = (script: string) => fileURLToPath(new URL(`../../../scripts/${script}`, import.meta.url));

/** A script's exit and output on that Node version. Old ones cannot read TypeScript. */
const endOn = (version: string, script: string, environment: NodeJS.ProcessEnv = {}) =>
  new Promise((resolve) => {
    const versions = JSON.stringify({ node: version });
    const pretend = `Object.defineProperty(process,"versions",{value:${versions}});Object.defineProperty(process,"version",{value:"v${version}"})`;
    const args = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`];
    const ended = execFile(process.execPath, [...args, fileOf(script)], { env: environment }, (_, __, said) =>
      resolve([ended.exitCode, said]),
    );
  });

it("on an older Node an npm script prints the required version and where to get it, and ends", async () => {
  const byNpm = { npm_lifecycle_event: "predev" };
  expect(await endOn("20.19.0", "require-node-24.mjs", byNpm)).toEqual([
    1,
    'This command requires Node 24, but runs on v20.19.0. Install it, for instance with "nvm install".\n',
  ]);
  expect(await endOn("24.0.0", "require-node-24.mjs", byNpm)).toEqual([0, ""]);
});
