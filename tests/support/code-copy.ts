import { cp, symlink } from "node:fs/promises";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

const parts = [
  ...["app", "client", "docs", "functions", "lib", "schema", "scripts"],
  ...["package.json", "package-lock.json"],
];

/** Copies the code, and what else is named, into a folder in which it may be changed, with the packages of this one. */
export async function copyCode(folder: string, others: readonly string[] = []): Promise<void> {
  for (const part of [...parts, ...others])
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"));
}
