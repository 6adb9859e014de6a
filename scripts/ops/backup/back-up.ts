import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { checkDump, runProgram } from "./programs.ts";

/**
 * Writes a consistent backup of the database into a new file, readable only by this user; leaves no file on
 * failure. Rejects with `Unfit` if the program is missing.
 */
export async function backUp(url: string, file: string): Promise<void> {
  await checkDump(url);
  await mkdir(path.dirname(file), { recursive: true });
  await reserve(file);
  const draft = `${file}.part`;
  try {
    await (await open(draft, "w", 0o600)).close();
    const words = ["--format=custom", "--no-owner", "--no-privileges", `--file=${draft}`];
    await runProgram("pg_dump", url, words);
    await rename(draft, file);
  } catch (error) {
    await Promise.all([draft, file].map((one) => rm(one, { force: true })));
    throw error;
  }
}

/** Never overwrites a backup. */
async function reserve(file: string): Promise<void> {
  const reserved = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? new Error(`${file} already exists`) : error;
  });
  await reserved.close();
}
