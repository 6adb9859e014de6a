import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { lastRelease } from "../../schema/functions/last-release.ts";
import { scratchFolder } from "./scratch-folder.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Whether this clone has the commit of the last release: one without history, or a copy, has not. */
export const hasLastRelease: boolean =
  spawnSync("git", ["cat-file", "-e", `${lastRelease.commit}^{commit}`], { cwd: root }).status === 0;

/**
 * The code of the last release in a folder of its own, with the packages of this one: what it alone needs (p-limit) stays
 * among the development packages until the next release.
 */
export function unpackLastRelease(): { folder: string; remove(): void } {
  const folder = mkdtempSync(path.join(scratchFolder, "last-release-"));
  const parts = ["functions", "lib", "schema", "scripts", "tests", "docs", "package.json"];
  const archive = execFileSync("git", ["archive", lastRelease.commit, ...parts], {
    cwd: root,
    maxBuffer: 1024 ** 3,
  });
  execFileSync("tar", ["x", "-C", folder], { input: archive });
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
