import { type SQL, sql } from "drizzle-orm";
import { toInstant } from "../../schema/db/columns.ts";
import { StoredInstant } from "../db/query/rows.ts";

/** What a report's row says beside its figures: since when things may be missing, null when nothing is. */
export const Behind = { behind_since: StoredInstant.nullable() };

/** Its column, of what people did in one course or in all. What is behind elsewhere keeps no course back. */
export const behindSince = (courseId?: number): SQL =>
  sql`(select counted_until() where is_behind(${courseId ?? null}::int)) as behind_since`;

/** The same of the tutor's answers, at one university or in all. */
export const answersBehindSince = (university?: SQL): SQL =>
  sql`(select counted_until() where are_answers_behind(${university ?? sql`null`}::int)) as behind_since`;

/** A figure that is counted by the day, up to `lastDay`; null where that is not counted yet, which is not zero. */
export const ifCounted = <Figure>(
  behindSince: string | null,
  lastDay: string,
  figure: Figure,
): Figure | null => (behindSince !== null && lastDay >= toInstant(behindSince).slice(0, 10) ? null : figure);

/** The field of a report that is behind; one that is not has none. */
export const asOf = (behindSince: string | null): { as_of?: string } =>
  behindSince === null ? {} : { as_of: toInstant(behindSince) };
