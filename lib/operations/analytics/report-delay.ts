import { type SQL, sql } from "drizzle-orm";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { StoredInstant } from "../../platform/db/query/rows.ts";

/** Data after `behind_since` may be missing; null if complete. */
export const BehindSinceColumn = { behind_since: StoredInstant.nullable() };

/** For one course or all. A backlog in other courses is ignored. */
export const activityBehindSinceSql = (courseId?: number): SQL =>
  sql`(select daily_aggregates_counted_until() where has_too_much_uncounted_activity(${courseId ?? null}::int)) as behind_since`;

/** For the tutor's answers, at one university or all. */
export const answersBehindSinceSql = (university?: SQL): SQL =>
  sql`(select daily_aggregates_counted_until() where has_too_many_uncounted_answers(${university ?? sql`null`}::int)) as behind_since`;

/** Null, not zero, if `lastDay` is not counted yet. */
export const nullIfDayNotCounted = <Figure>(
  behindSince: string | null,
  lastDay: string,
  figure: Figure,
): Figure | null => (behindSince !== null && lastDay >= toInstant(behindSince).slice(0, 10) ? null : figure);

/** The `as_of` field of a report that is behind. */
export const asOfField = (behindSince: string | null): { as_of?: string } =>
  behindSince === null ? {} : { as_of: toInstant(behindSince) };
