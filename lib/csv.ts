import { parse } from "csv-parse/sync";

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

/**
 * The lines of a CSV text (RFC 4180, with or without a byte order mark), blank ones left out. Throws what says why the
 * text is no CSV; no line may have over 64 KiB.
 */
export function readCsv(text: string): CsvRow[] {
  // Lines are counted right where they end in one way; a break inside of a field becomes that, too.
  const parsed = parse(text.replaceAll(/\r\n?/g, "\n"), {
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: 65_536,
  }) as unknown as { record: string[]; info: { lines: number } }[];
  return (
    parsed
      // What is counted are the lines to the end of a record, which may have breaks in its fields.
      .map(({ record, info }) => ({ line: info.lines - breaksIn(record.join()), fields: record }))
      .filter(({ fields }) => fields.some((field) => field !== ""))
  );
}

const breaksIn = (text: string): number => text.match(/\n/g)?.length ?? 0;
