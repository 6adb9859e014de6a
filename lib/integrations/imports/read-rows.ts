import type { ImportCreate } from "../../../schema/api/integrations/imports.ts";
import type { FileText } from "../../../schema/api/platform/file-text.ts";
import { invalidField } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { type DecodedText, UndecodableTextError } from "../../platform/readers/decode-text.ts";
import { decodeFileText } from "../../platform/readers/given-text.ts";
import { receiveBytes } from "../../platform/readers/reader-thread.ts";
import { isZip } from "../../platform/readers/zip.ts";
import { unpackImportArchive } from "./archive.ts";
import { findManifestEncoding, manifestFileName } from "./manifest.ts";
import { nativeFileNames, readNativeFiles } from "./native-csv.ts";
import { oneRosterFileNames, readOneRoster } from "./one-roster.ts";
import { parseCsvTables } from "./table.ts";

/** As JSON: rows in processing order, encodings, and files and columns that were not imported. */
export type ParsedImportRows = {
  rows: string;
  total: number;
  refused: number;
  read_as: string;
  ignored: string;
};

const maxImportRows = 20_000;

/** An upload is in memory as a whole. */
const maxImportFileMegabytes = 100;

/** `sent` is an uploaded file's name. */
export type ImportRowsInput = Pick<ImportCreate, "format" | "files" | "zip"> & { sent?: string };

type GivenFiles = Record<string, FileText | Uint8Array | undefined>;

/** 422 for unreadable files or too many rows. */
export async function parseImportRows({
  format,
  files,
  zip,
  sent,
}: ImportRowsInput): Promise<ParsedImportRows> {
  const known = format === "CSV" ? nativeFileNames : oneRosterFileNames;
  const field = files ? "files" : sent === undefined ? "zip" : "file_id";
  const given: GivenFiles =
    files ??
    (sent === undefined
      ? unpackImportArchive(Buffer.from(zip ?? "", "base64"), "zip", known)
      : await filesOf(sent, known));
  const unknown = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
  if (unknown !== undefined && files)
    throw invalidField(["files", unknown], `Input should be one of ${known.join(", ")}`);
  const decoded = decodeFiles(given, known);
  const tables = parseCsvTables(Object.fromEntries(decoded.map(({ file, text }) => [file, text])));
  const rows = format === "CSV" ? readNativeFiles(tables) : readOneRoster(tables);
  if (rows.length === 0) throw invalidField([field], `No rows in ${known.join(", ")}`);
  if (rows.length > maxImportRows)
    throw invalidField([field], `Import should have at most ${maxImportRows} rows`);
  const refused = rows.filter(({ refusal }) => refusal !== undefined).length;
  const read_as = decoded.map(({ file, read_as: encoding }) => ({ file, encoding }));
  const others = Object.keys(given).filter((name) => !known.includes(name) && name !== manifestFileName);
  const ignored = [...tables.ignored, ...others.map((file) => ({ file, column: null, rows: null }))];
  return {
    rows: JSON.stringify(rows),
    total: rows.length,
    refused,
    read_as: JSON.stringify(read_as),
    ignored: JSON.stringify(ignored),
  };
}

/** Only known files. The manifest of OneRoster may state the encoding of the others. */
function decodeFiles(given: GivenFiles, known: readonly string[]): (DecodedText & { file: string })[] {
  const manifest = given[manifestFileName];
  const declared = manifest && findManifestEncoding(decoded(manifestFileName, manifest).text);
  return known.flatMap((file) => {
    const content = given[file];
    return content === undefined ? [] : [{ file, ...decoded(file, content, declared) }];
  });
}

function decoded(file: string, content: FileText | Uint8Array, declared?: string): DecodedText {
  try {
    return decodeFileText(content, declared);
  } catch (error) {
    throw error instanceof UndecodableTextError ? invalidField(["files", file], error.message) : error;
  }
}

/** An archive, or one of the known files by name. */
async function filesOf(sent: string, known: readonly string[]): Promise<Record<string, Uint8Array>> {
  const bytes = await receiveBytes(maxImportFileMegabytes).catch((error) => {
    throw error instanceof BeyondBounds ? invalidField(["file_id"], `File ${error.message}`) : error;
  });
  if (isZip(bytes)) return unpackImportArchive(bytes, "file_id", known);
  const name = known.find((one) => one.toLowerCase() === sent.toLowerCase());
  if (name === undefined)
    throw invalidField(["file_id"], `File should be a ZIP archive, or one of ${known.join(", ")}`);
  return { [name]: bytes };
}
