import { invalidField } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { UnreadableArchive, unzipTexts } from "../../platform/readers/zip.ts";

/** Excludes the dot files that macOS adds. */
const isTable = (name: string): boolean =>
  /(^|\/)[^./][^/]*\.csv$/i.test(name) && !name.startsWith("__MACOSX");

const bounds = { wanted: isTable, mostFiles: 40, mostBytes: 16 * 1024 * 1024 };

export type ArchiveField = "zip" | "file_id";

/** The CSV files of a ZIP archive, in any folder. Returns 422 for an invalid archive or one too large. */
export function unpack(archive: Buffer, field: ArchiveField): Record<string, string> {
  try {
    const files = unzipTexts(archive, bounds);
    return Object.fromEntries(files.map(({ name, text }) => [name.split("/").at(-1) ?? name, text]));
  } catch (error) {
    if (error instanceof UnreadableArchive) throw invalidField([field], "Not readable as a ZIP archive");
    throw error instanceof BeyondBounds ? invalidField([field], `ZIP archive ${error.message}`) : error;
  }
}
