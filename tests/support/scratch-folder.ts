import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";

/** About 2 GB: several times the size of all test databases together. */
const enough = 2 * 1024 ** 3;

/**
 * Folder for large or often copied temporary files: in memory if there is room. The template is copied
 * hundreds of times, at up to a second each on a busy disk.
 */
export const scratchFolder = hasRoom(memory) ? memory : tmpdir();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > enough;
  } catch {
    return false;
  }
}
