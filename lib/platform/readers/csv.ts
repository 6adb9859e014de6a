import { CsvError, type Options, parse } from "csv-parse/sync";
import { BeyondBounds } from "./beyond-bounds.ts";

/** RFC 4180. Null is empty; text that looks like a formula stays text. */
export const csvText = (lines: readonly (readonly unknown[])[]): string =>
  lines.map((line) => `${line.map((value) => quoted(plain(value))).join(",")}\r\n`).join("");

/** Spreadsheets run text that begins like a formula. An apostrophe prevents it. */
const plain = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
};

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

/** `line` is the number of its first line, from 1. */
export type CsvRow = { line: number; fields: string[] };

export type CsvBounds = { rows: number; columns: number; cells: number };

const separators = [",", ";", "\t"] as const;

export type CsvSeparator = (typeof separators)[number];

/** The message names the line. */
export class UnreadableCsv extends Error {
  override name = "UnreadableCsv";
}

/**
 * RFC 4180, with or without a byte order mark. The separator is comma, semicolon or tab, as a line `sep=;`
 * says or as gives most columns that `isColumn`. Drops blank lines, and blanks around fields. Throws
 * UnreadableCsv, and BeyondBounds at the first row, column or cell over a limit; a line has at most 64 KiB.
 * Linear time.
 */
export function readCsv(
  text: string,
  bounds: CsvBounds,
  isColumn: (name: string) => boolean = isPlainName,
): { separator: CsvSeparator; rows: CsvRow[] } {
  // Line numbers need one kind of line break, also inside fields.
  const whole = text.replaceAll(/\r\n?/g, "\n");
  const [preamble, stated] = /^\ufeff?"?sep=([^\n"]{1,8})"?[,;\t]*(?=\n|$)/i.exec(whole) ?? [""];
  // The empty line that is left keeps the numbers of the others.
  const lines = whole.slice(preamble.length);
  const separator = stated === undefined ? separatorOf(lines, isColumn) : known(stated);
  const rows: CsvRow[] = [];
  let cells = 0;
  parsed(lines, {
    delimiter: separator,
    on_record: (fields: string[], { lines: end }) => {
      cells += fields.length;
      if (fields.length > bounds.columns) throw tooMany("columns", bounds);
      if (cells > bounds.cells) throw tooMany("cells", bounds);
      if (fields.every((field) => field === "")) return null;
      if (rows.length === bounds.rows) throw tooMany("rows", bounds);
      // Lines are counted at a record's end, so breaks inside its fields are subtracted.
      rows.push({ line: end - breaksIn(fields.join()), fields });
      return null;
    },
  });
  return { separator, rows };
}

/** A quotation mark may follow the blank behind a separator. */
const options: Options = {
  bom: true,
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: 65_536,
  trim: true,
};

function parsed(text: string, more: Options): string[][] {
  try {
    return parse(text, { ...options, ...more });
  } catch (error) {
    throw error instanceof CsvError ? new UnreadableCsv(error.message, { cause: error }) : error;
  }
}

const tooMany = (what: keyof CsvBounds, bounds: CsvBounds) => new BeyondBounds(bounds[what], what);

function known(stated: string): CsvSeparator {
  const found = separators.find((one) => one === stated);
  if (!found)
    throw new UnreadableCsv(`line 1 states the separator ${stated}. Use a comma, a semicolon or a tab`);
  return found;
}

const isPlainName = (name: string): boolean => /^\s*[a-z][\w.]*\s*$/i.test(name);

/** Titles may contain any separator: the one with the most column names in the header counts. */
function separatorOf(text: string, isColumn: (name: string) => boolean): CsvSeparator {
  const names = separators.map((separator) => namesIn(text, separator, isColumn));
  return separators[names.indexOf(Math.max(...names))] ?? ",";
}

function namesIn(text: string, delimiter: CsvSeparator, isColumn: (name: string) => boolean): number {
  try {
    const [header = []] = parsed(text, { delimiter, to: 1 });
    return header.filter(isColumn).length;
  } catch {
    return 0;
  }
}

const breaksIn = (text: string): number => text.match(/\n/g)?.length ?? 0;

/** Named columns; later fields have no column. */
export const countNamedColumns = (header: readonly string[]): number =>
  header.findLastIndex((name) => name.trim() !== "") + 1;

/** Values beyond the named columns: a value contained an unquoted separator. */
export const hasValuesBeyondColumns = (fields: readonly string[], columns: number): boolean =>
  fields.slice(columns).some((field) => field.trim() !== "");
