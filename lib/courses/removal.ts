import type { SQL } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import type { Resource } from "../error-codes.ts";
import { notFound } from "../errors.ts";

const Removal = z.object({ removed: z.boolean() });

/**
 * Runs a statement that takes something off what the caller may change, and yields one row, `removed`, for the latter:
 * without it `explainRefusal` says why, and a 404 that names `what` where there was nothing to take.
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
