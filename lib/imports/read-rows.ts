import type { ImportCreate } from "../../schema/api/imports.ts";
import { invalidField } from "../errors.ts";
import { unpack } from "./archive.ts";
import { nativeFiles, readNativeFiles } from "./native-csv.ts";
import { oneRosterFiles, readOneRoster } from "./one-roster.ts";

/** The rows of an import as JSON, in the order in which they are worked, with how many they are and how many are refused. */
export type RowsRead = { rows: string; total: number; refused: number };

const mostRows = 20_000;

/** Reads what was sent. 422 for files that cannot be read, or with more rows than are taken. */
export function readRows({ format, files, zip }: ImportCreate): RowsRead {
  const known = format === "CSV" ? nativeFiles : oneRosterFiles;
  const given = files ? withoutAbsent(files) : unpack(Buffer.from(zip ?? "", "base64"));
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined && files)
    throw invalidField(["files", unknown], `Input should be one of ${known.join(", ")}`);
  const rows = format === "CSV" ? readNativeFiles(given) : readOneRoster(given);
  const field = files ? "files" : "zip";
  if (rows.length === 0) throw invalidField([field], `There are no rows in ${known.join(", ")}`);
  if (rows.length > mostRows) throw invalidField([field], `Import should have at most ${mostRows} rows`);
  const refused = rows.filter(({ refusal }) => refusal !== undefined).length;
  return { rows: JSON.stringify(rows), total: rows.length, refused };
}

const withoutAbsent = (files: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
