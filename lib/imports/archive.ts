import { strFromU8, unzipSync } from "fflate";
import { invalidField } from "../errors.ts";

/** What the files of an archive may come to when they are unpacked, and how many there may be. */
const mostBytes = 16 * 1024 * 1024;
const mostFiles = 40;

/**
 * The CSV files of a ZIP archive by their names, whatever folder they lie in. Nothing is unpacked before its stated size
 * was counted, and an entry that is larger than it states is cut there. 422 for what is no such archive, or too large.
 */
export function unpack(archive: Uint8Array): Record<string, string> {
  let files = 0;
  let bytes = 0;
  try {
    const unpacked = unzipSync(archive, {
      filter({ name, originalSize }) {
        if (!isTable(name)) return false;
        files += 1;
        bytes += originalSize;
        if (files > mostFiles || bytes > mostBytes) throw new TooLarge();
        return true;
      },
    });
    return Object.fromEntries(
      Object.entries(unpacked).map(([name, content]) => [name.split("/").at(-1) ?? name, strFromU8(content)]),
    );
  } catch (error) {
    const problem = error instanceof TooLarge ? "ZIP archive is too large" : "Not readable as a ZIP archive";
    throw invalidField(["zip"], problem);
  }
}

class TooLarge extends Error {}

/** What macOS puts beside each file begins with a dot. */
const isTable = (name: string): boolean =>
  /(^|\/)[^./][^/]*\.csv$/i.test(name) && !name.startsWith("__MACOSX");
