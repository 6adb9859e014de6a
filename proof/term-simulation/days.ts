/** A day as the reports name it: `2026-09-07`, in UTC. */
export type Day = string;

export const dayOf = (moment: Date): Day => moment.toISOString().slice(0, 10);

/** Midday of a day that lies so many days after another. */
export function momentOn(day: Day, later = 0): Date {
  const moment = new Date(`${day}T12:00:00.000Z`);
  moment.setUTCDate(moment.getUTCDate() + later);
  return moment;
}

export const daysAfter = (day: Day, later: number): Day => dayOf(momentOn(day, later));

/** Both included. */
export type Period = { from: Day; to: Day };

export const isIn = ({ from, to }: Period, day: Day | undefined): boolean =>
  day !== undefined && day >= from && day <= to;

/** Every day of a period. */
export function daysOf({ from, to }: Period): Day[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = daysAfter(day, 1)) days.push(day);
  return days;
}
