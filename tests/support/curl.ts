import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const program = path.join(import.meta.dirname, "curl-main.ts");

/** Makes a folder for the PATH that has a `curl` made of Node: behind the others it is for machines without one. */
export async function folderWithCurl(parent: string): Promise<string> {
  const folder = path.join(parent, "programs");
  const curl = path.join(folder, "curl");
  await mkdir(folder, { recursive: true });
  await writeFile(curl, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(curl, 0o755);
  return folder;
}
