import { csvText } from "../../platform/readers/csv.ts";

/**
 * Lines `figure,of,value`. `of` is a list entry's first field: `daily_new_signups,2026-03-01,4`. Null is
 * empty.
 */
export const reportToCsv = (report: object): string =>
  csvText([["figure", "of", "value"], ...linesOf(report, [], "")]);

type Line = [figure: string, of: unknown, value: unknown];

function linesOf(figures: object, path: readonly string[], of: unknown): Line[] {
  return Object.entries(figures).flatMap(([name, value]) => {
    const here = [...path, name];
    if (Array.isArray(value)) return value.flatMap((entry: object) => entryLines(entry, here));
    if (typeof value === "object" && value !== null) return linesOf(value, here, of);
    return [[here.join("."), of, value] satisfies Line];
  });
}

/** An entry with a single figure uses the list's name. */
function entryLines(entry: object, path: readonly string[]): Line[] {
  const [[, of] = ["", ""], ...rest] = Object.entries(entry);
  const [only] = rest;
  if (rest.length === 1 && only) return [[path.join("."), of, only[1]]];
  return linesOf(Object.fromEntries(rest), path, of);
}
