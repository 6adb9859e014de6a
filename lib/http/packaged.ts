import { readFile } from "node:fs/promises";

const read = new Map<string, Promise<Buffer>>();

/**
 * The text of a file that stands beside the code: `new URL("…", import.meta.url)` in the function's own folder.
 * The package keeps the project's layout, so that it is found there as it is here. Each file is read once.
 */
export async function readPackaged(file: URL): Promise<string> {
  return (await readPackagedBytes(file)).toString();
}

/** The same for what is no text. */
export function readPackagedBytes(file: URL): Promise<Buffer> {
  const bytes = read.get(file.href) ?? readFile(file);
  read.set(file.href, bytes);
  return bytes;
}
