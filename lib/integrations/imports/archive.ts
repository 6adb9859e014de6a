import { invalidField } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { UnreadableArchive, type UnzippedFile, unzipFiles } from "../../platform/readers/zip.ts";

/** Excludes the dot files that macOS adds. */
const isTable = (name: string): boolean =>
  /(^|\/)[^./][^/]*\.csv$/i.test(name) && !name.startsWith("__MACOSX");

const bounds = { wanted: isTable, maxFiles: 40, maxBytes: 16 * 1024 * 1024 };

export type ArchiveField = "zip" | "file_id";

/**
 * CSV files in any folder and letter case. 422 for an invalid archive, one too large, or two files of one
 * name.
 */
export function unpackImportArchive(
  archive: Buffer,
  field: ArchiveField,
  known: readonly string[],
): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (const { name: path, bytes } of unzipped(archive, field)) {
    const given = path.split(/[/\\]/).at(-1) ?? path;
    const name = known.find((one) => one.toLowerCase() === given.toLowerCase()) ?? given;
    if (Object.hasOwn(files, name)) throw invalidField([field], `ZIP archive has two files named ${name}`);
    files[name] = bytes;
  }
  return files;
}

function unzipped(archive: Buffer, field: ArchiveField): UnzippedFile[] {
  try {
    return unzipFiles(archive, bounds);
  } catch (error) {
    if (error instanceof UnreadableArchive) throw invalidField([field], "Not readable as a ZIP archive");
    throw error instanceof BeyondBounds ? invalidField([field], `ZIP archive ${error.message}`) : error;
  }
}
