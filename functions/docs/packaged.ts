import { readFile } from "node:fs/promises";

const read = new Map<string, Promise<string>>();

/**
 * The text of a file that stands beside the code, its path relative to this folder: the package keeps the
 * project's layout, so that it is found there as it is here. Each file is read once.
 */
export function readPackaged(path: string): Promise<string> {
  const known = read.get(path);
  if (known) return known;
  const text = readFile(new URL(path, import.meta.url), "utf8");
  read.set(path, text);
  return text;
}
