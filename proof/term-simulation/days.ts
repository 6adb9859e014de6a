/** A day in the university's time zone: `2026-10-05`. */
export type SimulatedDay = string;

/** The university's time zone. Events happen at midday UTC, which is the same day there. */
export const universityTimeZone = "Europe/Berlin";

export const utcDayOfMoment = (moment: Date): SimulatedDay => moment.toISOString().slice(0, 10);

/** Midday UTC, `later` days after a day. */
export function middayUtcDaysAfter(day: SimulatedDay, later = 0): Date {
  const moment = new Date(`${day}T12:00:00.000Z`);
  moment.setUTCDate(moment.getUTCDate() + later);
  return moment;
}

export const addDays = (day: SimulatedDay, later: number): SimulatedDay =>
  utcDayOfMoment(middayUtcDaysAfter(day, later));

/** Summer time begins on the last Sunday of March and ends on that of October, at one o'clock UTC. */
function lastSunday(year: string, month: "03" | "10"): SimulatedDay {
  const last = middayUtcDaysAfter(`${year}-${month}-31`);
  return addDays(utcDayOfMoment(last), -last.getUTCDay());
}

/** Midnight in the university's time zone: one hour before UTC, in summer two. */
export function localMidnightOfDay(day: SimulatedDay): string {
  const year = day.slice(0, 4);
  const isSummer = day > lastSunday(year, "03") && day <= lastSunday(year, "10");
  return `${addDays(day, -1)}T${isSummer ? 22 : 23}:00:00.000Z`;
}

/** The local day that begins at this time. */
export const dayStartingAtMidnight = (midnight: string): SimulatedDay =>
  utcDayOfMoment(new Date(Date.parse(midnight) + 2 * 3_600_000));

export const daysBetween = (from: SimulatedDay, to: SimulatedDay): number =>
  Math.round((middayUtcDaysAfter(to).getTime() - middayUtcDaysAfter(from).getTime()) / 86_400_000);

/** Both included. */
export type SimulatedPeriod = { from: SimulatedDay; to: SimulatedDay };

export const isDayInPeriod = ({ from, to }: SimulatedPeriod, day: SimulatedDay | undefined): boolean =>
  day !== undefined && day >= from && day <= to;

export function daysInPeriod({ from, to }: SimulatedPeriod): SimulatedDay[] {
  const days: SimulatedDay[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}
