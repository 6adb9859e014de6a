import { sql } from "drizzle-orm";
import { toInstant } from "../../schema/db/columns.ts";
import { StoredInstant } from "../db/query/rows.ts";

/** What a report's row says beside its figures: since when things may be missing, null when nothing is. */
export const Behind = { behind_since: StoredInstant.nullable() };

/** Its column. */
export const behindSince = sql`(select counted_until() where is_behind()) as behind_since`;

/** A figure that is counted by the day, up to `lastDay`; null where that is not counted yet, which is not zero. */
export const ifCounted = <Figure>(
  behindSince: string | null,
  lastDay: string,
  figure: Figure,
): Figure | null => (behindSince !== null && lastDay >= toInstant(behindSince).slice(0, 10) ? null : figure);

/** The field of a report that is behind; one that is not has none. */
export const asOf = (behindSince: string | null): { as_of?: string } =>
  behindSince === null ? {} : { as_of: toInstant(behindSince) };
