import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeArguments } from "../../../server/node-arguments.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../../..");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-compiled-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const node = (...words: string[]) =>
  run(process.execPath, [...nodeArguments, ...words], {
    cwd: root,
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: folder },
  });

/** Whether the server process loaded the TypeScript loader. */
async function readsTypeScript(): Promise<boolean> {
  const serve = `
    await import("./server/worker.ts");
    await import("./lib/platform/db/driver/pg-driver.ts");
    console.log(process.moduleLoadList.some((name) => name.includes("amaro")));`;
  const { stdout } = await node("--input-type=module", "--eval", serve);
  return JSON.parse(stdout);
}

it("a server process starts from compiled code, and reads no TypeScript", async () => {
  await node("scripts/compile.ts");
  expect(await readsTypeScript()).toBe(false);
  await rm(folder, { recursive: true });
  expect(await readsTypeScript(), "with nothing compiled").toBe(true);
});
