import { readFile } from "node:fs/promises";

const read = new Map<string, Promise<Buffer>>();

/**
 * Reads a text file next to the code: `new URL("…", import.meta.url)`. Packages keep the project's layout.
 * Each file is read once.
 */
export async function readPackaged(file: URL): Promise<string> {
  return (await readPackagedBytes(file)).toString();
}

/** The same for binary files. */
export function readPackagedBytes(file: URL): Promise<Buffer> {
  const bytes = read.get(file.href) ?? readFile(file);
  read.set(file.href, bytes);
  return bytes;
}
