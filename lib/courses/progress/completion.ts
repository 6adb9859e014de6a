/** Percent from 0 to 100 and, optionally, the time of completion. */
export type ProgressAndCompletionTime = {
  progress_percent: number;
  completed_at?: string | null | undefined;
};

/** As sent, or now at 100 percent. */
export const initialCompletedAt = (
  { progress_percent, completed_at }: ProgressAndCompletionTime,
  now: Date,
): string | null => completed_at ?? (progress_percent === 100 ? now.toISOString() : null);

/** Without a completion time the stored one stays; a null below 100 percent clears it. */
export const keepsCompletedAt = ({ progress_percent, completed_at }: ProgressAndCompletionTime): boolean =>
  !completed_at && !(completed_at === null && progress_percent < 100);
