/** A moment as the value of a `datetime-local` input, such as `2026-03-01T09:30`. Empty without a moment. */
export function toDatetimeLocal(instant: string | null | undefined): string {
  if (!instant) return "";
  const moment = new Date(instant);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
