import { readFile } from "node:fs/promises";

const read = new Map<string, Promise<Buffer>>();

/** Reads once: `new URL("…", import.meta.url)`. Packages keep the project's layout. */
export async function readBundledText(file: URL): Promise<string> {
  return (await readBundledBytes(file)).toString();
}

/** For binary files. */
export function readBundledBytes(file: URL): Promise<Buffer> {
  const bytes = read.get(file.href) ?? readFile(file);
  read.set(file.href, bytes);
  return bytes;
}
