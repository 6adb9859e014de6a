import { invalidField } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { columnFinder } from "../../platform/readers/column-names.ts";
import {
  type CsvRow,
  countNamedColumns,
  hasValuesBeyondColumns,
  readCsv,
  UnreadableCsv,
} from "../../platform/readers/csv.ts";

/** Its number from 1 (the header), fields, and indexes of columns. */
export type CsvLine = {
  number: number;
  fields: readonly string[];
  columns: ReadonlyMap<string, number>;
  /** It has more values than columns, so values may be misplaced. */
  hasSurplus: boolean;
};

/** With the number of its values. */
export type IgnoredColumn = { file: string; column: string; rows: number };

/** The columns that are read; a list in `required` names alternatives. */
export type ExpectedCsvColumns = {
  required: readonly (string | readonly string[])[];
  optional: readonly string[];
};

const bounds = { rows: 20_001, columns: 200, cells: 1_000_000 };

/** Empty if the line is too short, undefined if there is no such column. */
export function valueIn({ fields, columns }: CsvLine, column: string): string | undefined {
  const at = columns.get(column);
  return at === undefined ? undefined : (fields[at] ?? "");
}

export type CsvTables = {
  /** A missing file has no lines. */
  linesOf(file: string, columns: ExpectedCsvColumns): CsvLine[];
  /** Of the files that were read. */
  ignored: IgnoredColumn[];
};

export function parseCsvTables(files: Readonly<Record<string, string>>): CsvTables {
  const ignored: IgnoredColumn[] = [];
  return {
    linesOf(file, columns) {
      const text = files[file];
      if (text === undefined) return [];
      const table = readTable(file, text, columns);
      ignored.push(...table.ignored);
      return table.lines;
    },
    ignored,
  };
}

/**
 * CSV with a header (RFC 4180). 422 for invalid or too much text, a missing required column, or a duplicate
 * one. Missing values at a line's end are empty.
 */
function readTable(
  file: string,
  text: string,
  { required, optional }: ExpectedCsvColumns,
): { lines: CsvLine[]; ignored: IgnoredColumn[] } {
  if (text.includes("\0")) throw invalidField(["files", file], "A NUL character is not allowed");
  const columnOf = columnFinder([...required.flat(), ...optional]);
  const [header, ...body] = parsed(file, text, (name) => columnOf(name) !== undefined);
  const titles = (header?.fields ?? []).map((name) => name.trim());
  const names = titles.map((name) => columnOf(name) ?? name);
  const missing = required
    .map((column) => [column].flat())
    .filter((column) => !column.some((name) => names.includes(name)))
    .map(([name]) => name);
  if (missing.length > 0) throw invalidField(["files", file], `Column ${missing.join(", ")} is missing`);
  const repeated = names.find((name, index) => name !== "" && names.indexOf(name) !== index);
  if (repeated !== undefined) throw invalidField(["files", file], `Column ${repeated} is repeated`);
  const columns = new Map(names.map((name, at) => [name, at]));
  const width = countNamedColumns(names);
  const lines = body.map(({ line, fields }) => ({
    number: line,
    fields,
    columns,
    hasSurplus: hasValuesBeyondColumns(fields, width),
  }));
  const ignored = titles.flatMap((column, at) => {
    if (column === "" || columnOf(column) !== undefined || isTechnical.test(column)) return [];
    const rows = body.filter(({ fields }) => (fields[at] ?? "").trim() !== "").length;
    return rows > 0 ? [{ file, column: column.slice(0, 100), rows }] : [];
  });
  return { lines, ignored };
}

/** OneRoster's date of the last change to a line. */
const isTechnical = /^dateLastModified$/i;

function parsed(file: string, text: string, isColumn: (name: string) => boolean): CsvRow[] {
  try {
    return readCsv(text, bounds, isColumn).rows;
  } catch (error) {
    if (error instanceof BeyondBounds) throw invalidField(["files", file], `File ${error.message}`);
    if (error instanceof UnreadableCsv)
      throw invalidField(["files", file], `Not readable as CSV: ${error.message}`);
    throw error;
  }
}
