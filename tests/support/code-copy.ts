import { cp, symlink } from "node:fs/promises";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

const parts = [
  ...["app", "client", "docs", "functions", "lib", "schema", "server", "scripts", "proof"],
  ...["package.json", "package-lock.json"],
];

const isCode = (file: string): boolean => path.basename(file) !== "node_modules";

/** Copies the code, and other given paths, into a folder that may be modified. Packages are shared. */
export async function copyCode(folder: string, others: readonly string[] = []): Promise<void> {
  for (const part of [...parts, ...others])
    await cp(path.join(root, part), path.join(folder, part), { recursive: true, filter: isCode });
  for (const packages of ["node_modules", "client/node_modules"])
    await symlink(path.join(root, packages), path.join(folder, packages));
}
