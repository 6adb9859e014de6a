import type { Catalog } from "./catalog.ts";

/** A difference in a database. Without `wanted` the object is superfluous, without `found` it is missing. */
export type Difference = { object: string; wanted?: string; found?: string };

/** Differences between the wanted and the actual database, by name. */
export function compare(wanted: Catalog, found: Catalog): Difference[] {
  const objects = [...new Set([...wanted.keys(), ...found.keys()])].toSorted();
  return objects
    .filter((object) => wanted.get(object) !== found.get(object))
    .map((object) => {
      const [should, is] = [wanted.get(object), found.get(object)];
      return {
        object,
        ...(should !== undefined && { wanted: should }),
        ...(is !== undefined && { found: is }),
      };
    });
}

/** A readable line: "index modules_root_index is missing from the migrations". */
export function describeDifference({ object, wanted, found }: Difference): string {
  if (found === undefined) return `${object} is missing from the migrations`;
  if (wanted === undefined) return `${object} is created by the migrations, but is not in schema/db`;
  return `${object} differs. The migrations create\n${found}\nbut schema/db has\n${wanted}`;
}
