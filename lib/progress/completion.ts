import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** What is posted of someone's progress: percent from 0 to 100, and when it was completed, if that is said. */
export type Posted = { progress_percent: number; completed_at?: string | null | undefined };

/** The moment of completion in a first post: the one that is said, or else now at 100 percent. */
export const firstCompletion = ({ progress_percent, completed_at }: Posted, now: Date): string | null =>
  completed_at ?? (progress_percent === 100 ? now.toISOString() : null);

/**
 * The moment of completion after a further post: what is said counts. Otherwise what was completed stays so with
 * its first moment, unless the post says null below 100 percent.
 */
export function laterCompletion({ progress_percent, completed_at }: Posted, stored: SQLWrapper): SQL {
  if (completed_at) return sql`excluded.completed_at`;
  if (completed_at === null && progress_percent < 100) return sql`null`;
  return sql`coalesce(${stored}, excluded.completed_at)`;
}
