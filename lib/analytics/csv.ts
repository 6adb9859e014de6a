/**
 * The figures of a report as CSV (RFC 4180): a line for each, `figure,of,value`. `of` says what an entry of a list
 * is about by its first field, a day or a course: `daily_new_signups,2026-03-01,4`. What is null is empty.
 */
export function csvOf(report: object): string {
  const lines = [["figure", "of", "value"], ...linesOf(report, [], "")];
  return lines.map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}

function linesOf(figures: object, path: readonly string[], of: string): string[][] {
  return Object.entries(figures).flatMap(([name, value]) => {
    const here = [...path, name];
    if (Array.isArray(value)) return value.flatMap((entry: object) => entryLines(entry, here));
    if (typeof value === "object" && value !== null) return linesOf(value, here, of);
    return [[here.join("."), of, value === null ? "" : plain(value)]];
  });
}

/** An entry with one figure stands under the list's own name. */
function entryLines(entry: object, path: readonly string[]): string[][] {
  const [[, of] = ["", ""], ...rest] = Object.entries(entry);
  const [only] = rest;
  if (rest.length === 1 && only) return [[path.join("."), plain(of), plain(only[1])]];
  return linesOf(Object.fromEntries(rest), path, plain(of));
}

/** A spreadsheet takes text that begins like a formula for one: an apostrophe keeps it text. */
const plain = (value: unknown): string =>
  typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
