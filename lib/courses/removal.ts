import type { SQL } from "drizzle-orm";
import * as z from "zod";
import type { Resource } from "../error-codes.ts";
import { notFound } from "../errors.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";

const Removal = z.object({ removed: z.boolean() });

/**
 * Runs a delete that returns one row with `removed` if the caller may change the owner. No row: throws as
 * `explainRefusal`. Nothing removed: throws 404 naming `what`.
 */
export async function removeFrom(
  db: Db,
  statement: SQL,
  what: Resource,
  explainRefusal: () => Promise<never>,
): Promise<void> {
  const [removal] = await rowsOf(db, Removal, statement);
  if (!removal) return explainRefusal();
  if (!removal.removed) throw notFound(what);
}
