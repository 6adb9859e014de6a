/** A moment as a field of date and time shows it: `2026-03-01T09:30` where people are; nothing without one. */
export function localTime(instant: string | null | undefined): string {
  if (!instant) return "";
  const moment = new Date(instant);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
