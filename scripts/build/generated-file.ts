import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** True if a generated file, such as `docs/reference/openapi.json`, has this content. */
export async function isCurrent(file: string, text: string): Promise<boolean> {
  return (await readFile(path.join(root, file), "utf8").catch(() => "")) === text;
}

/** Writes the file if it differs, and reports which. Ends the script if it cannot be written. */
export async function makeCurrent(file: string, text: string): Promise<void> {
  if (await isCurrent(file, text)) return console.log(`${file} is current`);
  try {
    await writeFile(path.join(root, file), text);
    console.log(`${file} was updated`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    console.error(`${file} is not current, and cannot be written (${code}). Run this in a writable copy`);
    process.exit(1);
  }
}
