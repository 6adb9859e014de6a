import type { Catalog } from "./catalog.ts";

/** A part of a database that is not as it should be. Without `wanted` it is left over, without `found` missing. */
export type Difference = { object: string; wanted?: string; found?: string };

/** What differs between the database that is wanted and the one that was found, in the order of the names. */
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

/** One line for a person: "index modules_root_index is missing from the migrations". */
export function describeDifference({ object, wanted, found }: Difference): string {
  if (found === undefined) return `${object} is missing from the migrations`;
  if (wanted === undefined) return `${object} is made by the migrations, and not in schema/db`;
  return `${object} differs: the migrations make\n${found}\nwhere schema/db says\n${wanted}`;
}
