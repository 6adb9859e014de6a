import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Progress as it is sent: percent from 0 to 100 and, optionally, when it was completed. */
export type ProgressInput = { progress_percent: number; completed_at?: string | null | undefined };

/** When progress that is recorded for the first time was completed: as sent, or else now at 100 percent. */
export const firstCompletion = (
  { progress_percent, completed_at }: ProgressInput,
  now: Date,
): string | null => completed_at ?? (progress_percent === 100 ? now.toISOString() : null);

/**
 * When progress that was recorded before was completed: as sent. If nothing is sent, what was completed keeps its
 * first moment; a null below 100 percent takes it back.
 */
export function laterCompletion(post: ProgressInput, stored: SQLWrapper, now: Date): SQL {
  const { progress_percent, completed_at } = post;
  if (completed_at === null && progress_percent < 100) return sql`null`;
  const first = sql`${firstCompletion(post, now)}::timestamptz`;
  return completed_at ? first : sql`coalesce(${stored}, ${first})`;
}
