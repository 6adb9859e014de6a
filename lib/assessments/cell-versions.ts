/*
 * The versions of a person's cells, as a field of a gradebook's file: `12v3 15v1` is version 3 of the cell of item 12 and
 * version 1 of that of item 15, and the others have version 0; `0` where all of them have. By the items' ids, so that
 * columns may be moved and left out; a spreadsheet takes it for neither a number, nor a time, nor a formula.
 */

type CellVersion = { content_item_id: number; version: number };

export const writeVersions = (cells: readonly CellVersion[]): string =>
  cells
    .filter(({ version }) => version > 0)
    .map(({ content_item_id, version }) => `${content_item_id}v${version}`)
    .join(" ") || "0";

/** The version of each item's cell, as a list of one; undefined for an empty field, which says nothing. Pure. */
export function readVersions(field: string): ((item: number) => [version: number]) | "faulty" | undefined {
  if (field === "") return undefined;
  if (!/^(0|\d{1,10}v\d{1,10}( \d{1,10}v\d{1,10})*)$/.test(field)) return "faulty";
  const versions = new Map(
    field.split(" ").map((one): [number, number] => {
      const [item, version] = one.split("v");
      return [Number(item), Number(version ?? 0)];
    }),
  );
  return (item) => [Math.min(versions.get(item) ?? 0, 2_147_483_647)];
}
