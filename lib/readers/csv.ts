import { parse } from "csv-parse/sync";
import { BeyondBounds } from "./beyond-bounds.ts";

/** Lines of CSV (RFC 4180). What is null is empty, and text that begins like a formula stays text. */
export const csvText = (lines: readonly (readonly unknown[])[]): string =>
  lines.map((line) => `${line.map((value) => quoted(plain(value))).join(",")}\r\n`).join("");

/** A spreadsheet takes text that begins like a formula for one: an apostrophe keeps it text. */
const plain = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
};

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

/** A line of a CSV file: the number of its first line in the text, from 1, and its fields. */
export type CsvRow = { line: number; fields: string[] };

/** How many of them a file may have, its header included. */
export type CsvBounds = { rows: number; columns: number; cells: number };

const separators = [",", ";", "\t"] as const;

export type Separator = (typeof separators)[number];

/**
 * The lines of a CSV text (RFC 4180, with or without a byte order mark), blank ones left out, and what separates their
 * fields: a comma, or the semicolon or tab of spreadsheets. Throws what says why the text is no CSV, and BeyondBounds at the
 * first row, column or cell that is too many; no line may have over 64 KiB. Takes time in proportion to the text.
 */
export function readCsv(text: string, bounds: CsvBounds): { separator: Separator; rows: CsvRow[] } {
  // Lines are counted right where they end in one way; a break inside of a field becomes that, too.
  const lines = text.replaceAll(/\r\n?/g, "\n");
  const separator = separatorOf(lines);
  const rows: CsvRow[] = [];
  let cells = 0;
  parse(lines, {
    ...options,
    delimiter: separator,
    on_record: (fields: string[], { lines: end }) => {
      cells += fields.length;
      if (fields.length > bounds.columns) throw tooMany("columns", bounds);
      if (cells > bounds.cells) throw tooMany("cells", bounds);
      if (fields.every((field) => field === "")) return null;
      if (rows.length === bounds.rows) throw tooMany("rows", bounds);
      // What is counted are the lines to the end of a record, which may have breaks in its fields.
      rows.push({ line: end - breaksIn(fields.join()), fields });
      return null;
    },
  });
  return { separator, rows };
}

const options = { bom: true, relax_column_count: true, skip_empty_lines: true, max_record_size: 65_536 };

const tooMany = (what: keyof CsvBounds, bounds: CsvBounds) => new BeyondBounds(bounds[what], what);

/** By which the header has the most fields that are names of columns; a title of something may have any of them in it. */
function separatorOf(text: string): Separator {
  const names = separators.map((separator) => namesIn(text, separator));
  return separators[names.indexOf(Math.max(...names))] ?? ",";
}

function namesIn(text: string, delimiter: Separator): number {
  try {
    const [header = []]: string[][] = parse(text, { ...options, delimiter, to: 1 });
    return header.filter((field) => /^\s*[a-z][\w.]*\s*$/i.test(field)).length;
  } catch {
    return 0;
  }
}

const breaksIn = (text: string): number => text.match(/\n/g)?.length ?? 0;

/** How many columns a header names: what stands in fields behind them is in none. */
export const columnsOf = (header: readonly string[]): number =>
  header.findLastIndex((name) => name.trim() !== "") + 1;

/** Whether a line says something behind the columns that the header names: a value was cut where it has a separator. */
export const hasSurplus = (fields: readonly string[], columns: number): boolean =>
  fields.slice(columns).some((field) => field.trim() !== "");
