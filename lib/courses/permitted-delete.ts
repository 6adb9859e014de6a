import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ResourceName } from "../error-codes.ts";
import { notFound } from "../errors.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";

const Removal = z.object({ removed: z.boolean() });

/**
 * Deletes a row below a parent. `parent` selects the id of a parent that the caller may change, `removed`
 * deletes by it and returns the row, `audited` records it. Without a parent throws as `explainRefusal`; 404
 * naming `what` without a row.
 */
export async function deleteChildRow(
  db: Db,
  { parent, removed, audited }: { parent: SQL; removed: SQL; audited?: SQL },
  what: ResourceName,
  explainRefusal: () => Promise<never>,
): Promise<void> {
  const audit = audited ? sql`, audited as (${audited})` : sql``;
  const statement = sql`
    with parent as (${parent}), removed as (${removed})${audit}
    select exists (select from removed) as removed from parent`;
  const [removal] = await rowsOf(db, Removal, statement);
  if (!removal) return explainRefusal();
  if (!removal.removed) throw notFound(what);
}
