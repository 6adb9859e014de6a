/** Lines of CSV (RFC 4180). What is null is empty. */
export const csvText = (lines: readonly (readonly unknown[])[]): string =>
  lines.map((line) => `${line.map((value) => quoted(plain(value))).join(",")}\r\n`).join("");

/** A spreadsheet takes text that begins like a formula for one: an apostrophe keeps it text. */
const plain = (value: unknown): string => {
  if (value === null) return "";
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
};

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
