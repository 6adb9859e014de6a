import { invalidField } from "../errors.ts";
import { BeyondBounds } from "../readers/beyond-bounds.ts";
import { type CsvRow, columnsOf, hasSurplus, readCsv } from "../readers/csv.ts";

/** A line of a CSV file: its number, from 1 with the header's, its fields, and where the columns stand in them. */
export type Line = {
  number: number;
  fields: readonly string[];
  columns: ReadonlyMap<string, number>;
  /** Whether it has values behind the columns, so that nobody knows which value belongs where. */
  hasSurplus: boolean;
};

/** The columns that a file needs; where several stand for one, any of them. */
type Required = readonly (string | readonly string[])[];

const bounds = { rows: 20_001, columns: 200, cells: 1_000_000 };

/** What a line says in a column: empty where it ends before, undefined where the file has no such column. */
export function valueIn({ fields, columns }: Line, column: string): string | undefined {
  const at = columns.get(column);
  return at === undefined ? undefined : (fields[at] ?? "");
}

/**
 * Reads CSV with a header (RFC 4180, UTF-8, with or without a byte order mark). 422 for text that is no CSV, too much of
 * it, without one of the required columns, or with a column twice; what a line leaves out at its end is empty. Of several
 * columns in the place of one, any will do.
 */
function readTable(file: string, text: string, required: Required): Line[] {
  if (text.includes("\0")) throw invalidField(["files", file], "A NUL character is not allowed");
  const [header, ...body] = parsed(file, text);
  const names = (header?.fields ?? []).map((name) => name.trim());
  const missing = required
    .map((column) => [column].flat())
    .filter((column) => !column.some((name) => names.includes(name)))
    .map(([name]) => name);
  if (missing.length > 0) throw invalidField(["files", file], `Column ${missing.join(", ")} is missing`);
  const repeated = names.find((name, index) => name !== "" && names.indexOf(name) !== index);
  if (repeated !== undefined) throw invalidField(["files", file], `Column ${repeated} stands there twice`);
  const columns = new Map(names.map((name, at) => [name, at]));
  const width = columnsOf(names);
  return body.map(({ line, fields }) => ({
    number: line,
    fields,
    columns,
    hasSurplus: hasSurplus(fields, width),
  }));
}

/** What reads the lines of one of several files by its name: none of a file that was not given. */
export const tablesIn =
  <File extends string>(files: Readonly<Record<string, string>>, required: Record<File, Required>) =>
  (file: File): Line[] =>
    files[file] === undefined ? [] : readTable(file, files[file], required[file]);

function parsed(file: string, text: string): CsvRow[] {
  try {
    return readCsv(text, bounds).rows;
  } catch (error) {
    if (error instanceof BeyondBounds) throw invalidField(["files", file], `File ${error.message}`);
    throw invalidField(
      ["files", file],
      `Not readable as CSV: ${error instanceof Error ? error.message : ""}`,
    );
  }
}
