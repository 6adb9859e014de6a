/** For example `03-01 10:00` of 2026, in UTC. */
export const at = (moment: string): string => new Date(`2026-${moment.replace(" ", "T")}Z`).toISOString();

/** Null if it did not happen. */
export const maybeAt = (moment: string | undefined): string | null => (moment ? at(moment) : null);
