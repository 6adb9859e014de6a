/*
 * A field of an exported gradebook: `12v3 15v1` is version 3 for item 12 and version 1 for item 15. Other
 * items have version 0; `0` means that all have. Keyed by item, so columns may be moved or omitted.
 * Spreadsheets do not parse it as a number, time or formula.
 */

type CellVersion = { content_item_id: number; version: number };

export const formatCellVersions = (cells: readonly CellVersion[]): string =>
  cells
    .filter(({ version }) => version > 0)
    .map(({ content_item_id, version }) => `${content_item_id}v${version}`)
    .join(" ") || "0";

/** Undefined for an empty field. Pure. */
export function parseCellVersionLookup(
  field: string,
): ((item: number) => [version: number]) | "faulty" | undefined {
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
