import { invalidField } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { type CsvRow, columnsOf, hasSurplus, readCsv } from "../../platform/readers/csv.ts";

/** A CSV line: its number from 1 (the header), its fields, and the indexes of columns. */
export type Line = {
  number: number;
  fields: readonly string[];
  columns: ReadonlyMap<string, number>;
  /** It has more values than columns, so values may be misplaced. */
  hasSurplus: boolean;
};

/** A list names alternatives. */
type Required = readonly (string | readonly string[])[];

const bounds = { rows: 20_001, columns: 200, cells: 1_000_000 };

/** Empty if the line is too short, undefined if there is no such column. */
export function valueIn({ fields, columns }: Line, column: string): string | undefined {
  const at = columns.get(column);
  return at === undefined ? undefined : (fields[at] ?? "");
}

/**
 * CSV with a header (RFC 4180, UTF-8, optional byte order mark). Returns 422 for invalid or too much text, a
 * missing required column, or a duplicate one. Missing values at the end of a line are empty.
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
  if (repeated !== undefined) throw invalidField(["files", file], `Column ${repeated} is repeated`);
  const columns = new Map(names.map((name, at) => [name, at]));
  const width = columnsOf(names);
  return body.map(({ line, fields }) => ({
    number: line,
    fields,
    columns,
    hasSurplus: hasSurplus(fields, width),
  }));
}

/** A missing file has no lines. */
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
