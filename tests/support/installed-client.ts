import { execFile } from "node:child_process";
import { mkdir, rename, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** Installs a packed client with its dependencies in the folder, as `npm install` does with a network. */
export async function installClient(folder: string, packed: string): Promise<void> {
  const modules = path.join(folder, "node_modules");
  await mkdir(modules);
  await run("tar", ["-xzf", packed, "-C", folder]);
  await rename(path.join(folder, "package"), path.join(modules, "learning-platform-client"));
  for (const name of ["openapi-fetch", "openapi-typescript-helpers", "eventsource-parser"])
    await symlink(path.dirname(packageOf(name)), path.join(modules, name), "junction");
}

const packageOf = (name: string): string =>
  require.resolve(`${name}/package.json`, { paths: [path.join(root, "client"), root] });
