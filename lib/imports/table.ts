import { type CsvRow, columnsOf, hasSurplus, readCsv, TooMuchCsv } from "../csv.ts";
import { invalidField } from "../errors.ts";

/** A line of a CSV file: its number, from 1 with the header's, and its values by their columns' names. */
export type Line = {
  number: number;
  values: Readonly<Record<string, string>>;
  /** Whether it has values behind the columns, so that nobody knows which value belongs where. */
  hasSurplus: boolean;
};

const bounds = { rows: 20_001, columns: 200, cells: 1_000_000 };

/**
 * Reads CSV with a header (RFC 4180, UTF-8, with or without a byte order mark). 422 for text that is no CSV, too much of
 * it, without one of the required columns, or with a column twice; what a line leaves out at its end is empty.
 */
function readTable(file: string, text: string, required: readonly string[]): Line[] {
  const [header, ...body] = parsed(file, text);
  const columns = (header?.fields ?? []).map((name) => name.trim());
  const missing = required.filter((name) => !columns.includes(name));
  if (missing.length > 0) throw invalidField(["files", file], `Column ${missing.join(", ")} is missing`);
  const repeated = columns.find((name, index) => name !== "" && columns.indexOf(name) !== index);
  if (repeated !== undefined) throw invalidField(["files", file], `Column ${repeated} stands there twice`);
  return body.map(({ line, fields }) => ({
    number: line,
    hasSurplus: hasSurplus(fields, columnsOf(columns)),
    // Without a prototype, so that a column of any name is no more than that.
    values: Object.assign(
      Object.create(null),
      Object.fromEntries(columns.map((name, at) => [name, fields[at] ?? ""])),
    ),
  }));
}

/** What reads the lines of one of several files by its name: none of a file that was not given. */
export const tablesIn =
  <File extends string>(files: Readonly<Record<string, string>>, required: Record<File, readonly string[]>) =>
  (file: File): Line[] =>
    files[file] === undefined ? [] : readTable(file, files[file], required[file]);

function parsed(file: string, text: string): CsvRow[] {
  try {
    return readCsv(text, bounds).rows;
  } catch (error) {
    if (error instanceof TooMuchCsv) throw invalidField(["files", file], `File ${error.message}`);
    throw invalidField(
      ["files", file],
      `Not readable as CSV: ${error instanceof Error ? error.message : ""}`,
    );
  }
}
