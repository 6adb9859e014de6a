/** Weeks of the proposed run. */
const weeks = 16;

/** Proposed start and end in local time: from this morning to the end of a day. */
export function defaultOfferingStartEnd(now: Date): { starts_at: string; ends_at: string } {
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()];
  return {
    starts_at: new Date(year, month, date).toISOString(),
    ends_at: new Date(year, month, date + weeks * 7, 23, 59).toISOString(),
  };
}
