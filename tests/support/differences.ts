type Json = null | string | number | boolean | Json[] | { [name: string]: Json };

/** A changed place in a response: its path with `*` for list positions, and the rows around it, before and after. */
export type Difference = { path: string; rows: string[] };

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Differences between two responses; rows that were added to or removed from a list are one each. Pure. */
export const differencesOf = (before: Json, after: Json): Difference[] => compare(before, after, "", []);

function compare(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  around: string[],
): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isObject(before) && isObject(after)) {
    const rows = [...around, ownText(before), ownText(after)];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      compare(before[name], after[name], path ? `${path}.${name}` : name, rows),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length === after.length)
      return before.flatMap((row, at) => compare(row, after[at], `${path}*`, around));
    const [former, latter] = [before, after].map((rows) => rows.map((row) => JSON.stringify(row)));
    const alone = [...without(former, latter), ...without(latter, former)];
    return alone.map((row) => ({ path: `${path}*`, rows: [...around, row] }));
  }
  return [{ path, rows: [...around, JSON.stringify(before) ?? "", JSON.stringify(after) ?? ""] }];
}

/** An object without its lists, which have rows of their own. */
const ownText = (row: { [name: string]: Json }): string =>
  JSON.stringify(Object.fromEntries(Object.entries(row).filter(([, one]) => !Array.isArray(one))));

/** Rows of the first list that the second lacks, counting repeated ones. */
function without(rows: readonly string[] = [], others: readonly string[] = []): string[] {
  const left = [...others];
  return rows.filter((row) => {
    const at = left.indexOf(row);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
