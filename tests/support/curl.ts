import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const program = path.join(import.meta.dirname, "curl-main.ts");

/** Creates a folder with a `curl` in Node. Append it to PATH for machines without curl. */
export async function folderWithCurl(parent: string): Promise<string> {
  const folder = path.join(parent, "programs");
  const curl = path.join(folder, "curl");
  await mkdir(folder, { recursive: true });
  await writeFile(curl, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(curl, 0o755);
  return folder;
}
