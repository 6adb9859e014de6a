/*
 * A database that costs nothing while nobody asks it anything must be left alone then, and yet mail must not wait. So a
 * function of the schedule is called each minute, and looks only while people are there, when it knows that something is
 * due, and else twice an hour: all functions in the same minute, so that the database wakes once for all of them.
 */

const minute = 60_000;

/** Access tokens live for half an hour by default: whoever is there signs in or refreshes as often. */
const presentMs = 35 * minute;

const quietMs = 30 * minute;

/** When a function that is called each minute looks into the database; it remembers that for as long as it lives. */
export type Pace = {
  /** Someone came, or asked for something. */
  wake(now: Date): void;
  isDue(now: Date): boolean;
  /** It has looked, and knows when the next thing is due that waits already. */
  looked(now: Date, nextDue: Date | undefined): void;
};

export function paceOfSchedule(): Pace {
  let presentUntil = 0;
  let dueAt = 0;
  return {
    wake(now) {
      presentUntil = now.getTime() + presentMs;
    },
    isDue: (now) => now.getTime() < presentUntil || now.getTime() >= dueAt,
    looked(now, nextDue) {
      const nextQuietLook = (Math.floor(now.getTime() / quietMs) + 1) * quietMs;
      dueAt = Math.min(nextQuietLook, nextDue?.getTime() ?? nextQuietLook);
    },
  };
}

/** An event by which CloudWatch Logs passes on that someone signed in, rather than one of the schedule. */
export const isSignOfLife = (event: unknown): boolean =>
  typeof event === "object" && event !== null && "awslogs" in event;
