import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";

/**
 * Makes a folder, and those above it, where nothing stands. Rejects where one cannot be made, also below /proc and the
 * like: there `recursive` of Node's own mkdir never ends.
 */
export async function mkdirp(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await mkdirp(parent);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // Another process was first.
  });
}
