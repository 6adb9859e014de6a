import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../../scripts/require-node-24.mjs", import.meta.url));

/** How it ends on a Node of that version, and what it says. */
const endOn = (version: string) =>
  new Promise((resolve) => {
    const versions = JSON.stringify({ node: version });
    const pretend = `Object.defineProperty(process,"versions",{value:${versions}});Object.defineProperty(process,"version",{value:"v${version}"})`;
    const args = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, script];
    const ended = execFile(process.execPath, args, (_, __, said) => resolve([ended.exitCode, said]));
  });

it("on an older Node a script says which one it needs and where to get it, and ends", async () => {
  expect(await endOn("20.19.0")).toEqual([
    1,
    'This needs Node 24 and runs on v20.19.0: install it, for instance with "nvm install".\n',
  ]);
  expect(await endOn("24.0.0")).toEqual([0, ""]);
});
