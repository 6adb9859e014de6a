/** For how many weeks a run is proposed. */
const weeks = 16;

/** When a first run is proposed to begin and end, where people are: from this morning on, until the end of a day. */
export function proposedRun(now: Date): { starts_at: string; ends_at: string } {
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()];
  return {
    starts_at: new Date(year, month, date).toISOString(),
    ends_at: new Date(year, month, date + weeks * 7, 23, 59).toISOString(),
  };
}
