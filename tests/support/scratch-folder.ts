import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";

/** Some 2 GB: what all tests' databases take at once, several times over. */
const enough = 2 * 1024 ** 3;

/**
 * Where tests put what is large, or copied often, and thrown away: in memory where there is room for it. The template
 * database is copied hundreds of times, which takes up to a second each on a busy disk.
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
