import type { ImportCreate } from "../../../schema/api/integrations/imports.ts";
import { invalidField } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { decodeText } from "../../platform/readers/decode-text.ts";
import { receiveBytes } from "../../platform/readers/reading.ts";
import { isZip } from "../../platform/readers/zip.ts";
import { unpack } from "./archive.ts";
import { nativeFiles, readNativeFiles } from "./native-csv.ts";
import { oneRosterFiles, readOneRoster } from "./one-roster.ts";

/** Rows as JSON in processing order, with their number and that of rejected ones. */
export type RowsRead = { rows: string; total: number; refused: number };

const mostRows = 20_000;

/** An upload is in memory as a whole. */
const mostMegabytes = 100;

/** The worker thread's input; `sent` is the name of an uploaded file. */
export type RowsGiven = Pick<ImportCreate, "format" | "files" | "zip"> & { sent?: string };

/** 422 for unreadable files or too many rows. */
export async function readRows({ format, files, zip, sent }: RowsGiven): Promise<RowsRead> {
  const known = format === "CSV" ? nativeFiles : oneRosterFiles;
  const field = files ? "files" : sent === undefined ? "zip" : "file_id";
  const given = files
    ? withoutAbsent(files)
    : sent === undefined
      ? unpack(Buffer.from(zip ?? "", "base64"), "zip")
      : await filesOf(sent, known);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined && files)
    throw invalidField(["files", unknown], `Input should be one of ${known.join(", ")}`);
  const rows = format === "CSV" ? readNativeFiles(given) : readOneRoster(given);
  if (rows.length === 0) throw invalidField([field], `No rows in ${known.join(", ")}`);
  if (rows.length > mostRows) throw invalidField([field], `Import should have at most ${mostRows} rows`);
  const refused = rows.filter(({ refusal }) => refusal !== undefined).length;
  return { rows: JSON.stringify(rows), total: rows.length, refused };
}

/** An archive, or one of the known files by name. */
async function filesOf(name: string, known: readonly string[]): Promise<Record<string, string>> {
  const bytes = await receiveBytes(mostMegabytes).catch((error) => {
    throw error instanceof BeyondBounds ? invalidField(["file_id"], `File ${error.message}`) : error;
  });
  if (isZip(bytes)) return unpack(bytes, "file_id");
  if (!known.includes(name))
    throw invalidField(["file_id"], `File should be a ZIP archive, or one of ${known.join(", ")}`);
  return { [name]: decodeText(bytes) };
}

const withoutAbsent = (files: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
