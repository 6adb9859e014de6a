import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";

/** Rejects on failure, also below /proc, where Node's recursive mkdir never returns. */
export async function mkdirp(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await mkdirp(parent);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // Another process created it first.
  });
}
