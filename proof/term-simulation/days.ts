/** A day in the university's time zone: `2026-10-05`. */
export type Day = string;

/** The university's time zone. Events happen at midday UTC, which is the same day there. */
export const timeZone = "Europe/Berlin";

export const dayOf = (moment: Date): Day => moment.toISOString().slice(0, 10);

/** Midday UTC, `later` days after a day. */
export function middayOn(day: Day, later = 0): Date {
  const moment = new Date(`${day}T12:00:00.000Z`);
  moment.setUTCDate(moment.getUTCDate() + later);
  return moment;
}

export const daysAfter = (day: Day, later: number): Day => dayOf(middayOn(day, later));

/** Summer time begins on the last Sunday of March and ends on that of October, at one o'clock UTC. */
function lastSunday(year: string, month: "03" | "10"): Day {
  const last = middayOn(`${year}-${month}-31`);
  return daysAfter(dayOf(last), -last.getUTCDay());
}

/** Midnight in the university's time zone: one hour before UTC, in summer two. */
export function midnightOf(day: Day): string {
  const year = day.slice(0, 4);
  const isSummer = day > lastSunday(year, "03") && day <= lastSunday(year, "10");
  return `${daysAfter(day, -1)}T${isSummer ? 22 : 23}:00:00.000Z`;
}

/** The local day that begins at this time. */
export const dayStartingAtMidnight = (midnight: string): Day =>
  dayOf(new Date(Date.parse(midnight) + 2 * 3_600_000));

export const daysBetween = (from: Day, to: Day): number =>
  Math.round((middayOn(to).getTime() - middayOn(from).getTime()) / 86_400_000);

/** Both included. */
export type Period = { from: Day; to: Day };

export const isIn = ({ from, to }: Period, day: Day | undefined): boolean =>
  day !== undefined && day >= from && day <= to;

export function daysInPeriod({ from, to }: Period): Day[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = daysAfter(day, 1)) days.push(day);
  return days;
}
