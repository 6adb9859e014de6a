import { invalidField } from "../errors.ts";
import { UnreadableArchive, unzipTexts } from "../zip.ts";

/** What macOS puts beside each file begins with a dot. */
const isTable = (name: string): boolean =>
  /(^|\/)[^./][^/]*\.csv$/i.test(name) && !name.startsWith("__MACOSX");

const bounds = { wanted: isTable, mostFiles: 40, mostBytes: 16 * 1024 * 1024 };

/**
 * The CSV files of a ZIP archive by their names, whatever folder they lie in. 422 for what is no such archive, or too
 * large.
 */
export function unpack(archive: Uint8Array): Record<string, string> {
  try {
    const files = unzipTexts(archive, bounds);
    return Object.fromEntries(files.map(({ name, text }) => [name.split("/").at(-1) ?? name, text]));
  } catch (error) {
    if (!(error instanceof UnreadableArchive)) throw error;
    throw invalidField(
      ["zip"],
      error.isTooLarge ? "ZIP archive is too large" : "Not readable as a ZIP archive",
    );
  }
}
