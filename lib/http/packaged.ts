import { readFile } from "node:fs/promises";

const read = new Map<string, Promise<string>>();

/**
 * The text of a file that stands beside the code: `new URL("…", import.meta.url)` in the function's own folder.
 * The package keeps the project's layout, so that it is found there as it is here. Each file is read once.
 */
export function readPackaged(file: URL): Promise<string> {
  const text = read.get(file.href) ?? readFile(file, "utf8");
  read.set(file.href, text);
  return text;
}
