import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SchemaSource } from "../../../lib/platform/db/migrations/schema.ts";
import { lastRelease } from "../../../schema/functions/last-release.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/**
 * True if this clone has the tag of the last release. A source archive has none, nor has a clone before the
 * first release.
 */
export const hasLastRelease: boolean =
  spawnSync("git", ["cat-file", "-e", `${lastRelease}^{commit}`], { cwd: root }).status === 0;

export type LastRelease = {
  /** The release's code, with this version's packages. */
  folder: string;
  schema: SchemaSource;
  remove(): void;
};

/** Unpacks the code of the last release, or of another commit. */
export async function unpackLastRelease(commit = lastRelease, parent = tmpdir()): Promise<LastRelease> {
  const folder = mkdtempSync(path.join(parent, "last-release-"));
  const parts = ["functions", "lib", "schema", "scripts", "server", "tests", "docs", "package.json"];
  const archive = execFileSync("git", ["archive", commit, ...parts], { cwd: root, maxBuffer: 1024 ** 3 });
  execFileSync("tar", ["x", "-C", folder], { input: archive });
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  const { retired } = await import(path.join(folder, "schema/functions/retired.ts"));
  const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return {
    folder,
    schema: {
      migrations: path.join(folder, "schema/migrations"),
      functions: path.join(folder, "schema/functions"),
      retired,
      version,
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
