/** Creating a formatter costs a hundred times as much as formatting. One per time zone. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Bounded, since time zones may be spelled in any letter case. */
const formattersKept = 1000;

/** By zone, for a minute: no day starts within one. */
const lastDates = new Map<string, { minute: number; date: string }>();

/** `2026-09-01` in an IANA time zone. */
export function dateInTimeZone(timeZone: string, moment: Date): string {
  const minute = Math.floor(moment.getTime() / 60_000);
  const last = lastDates.get(timeZone);
  if (last?.minute === minute) return last.date;
  const date = (formatters.get(timeZone) ?? newFormatter(timeZone)).format(moment);
  if (lastDates.size >= formattersKept) lastDates.clear();
  lastDates.set(timeZone, { minute, date });
  return date;
}

function newFormatter(timeZone: string): Intl.DateTimeFormat {
  const formatter = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    calendar: "iso8601",
  });
  if (formatters.size >= formattersKept) formatters.clear();
  formatters.set(timeZone, formatter);
  return formatter;
}

export function dayBefore(date: string): string {
  const moment = new Date(`${date}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() - 1);
  return moment.toISOString().slice(0, 10);
}

type Streak = { current_streak_days: number; last_activity_date: string | null; time_zone: string };

/** The stored streak if today or yesterday was active, else 0. */
export function currentStreak(
  { current_streak_days, last_activity_date, time_zone }: Streak,
  now: Date,
): number {
  const today = dateInTimeZone(time_zone, now);
  const alive = last_activity_date !== null && last_activity_date >= dayBefore(today);
  return alive ? current_streak_days : 0;
}
