/*
 * An idle database should cost nothing, and mail should not wait. So functions called each minute read the
 * database only while users are active, when something is due, and twice an hour, all in the same minute.
 */

const minute = 60_000;

/** Access tokens live half an hour by default: active users refresh that often. */
const presentMs = 35 * minute;

const quietMs = 30 * minute;

/** Decides when a function that is called each minute reads the database. In memory. */
export type DatabasePollPace = {
  /** A user signed in or sent a request. */
  wake(now: Date): void;
  isDue(now: Date): boolean;
  /** Records a read of the database and the due time of the next waiting item. */
  looked(now: Date, nextDue: Date | undefined): void;
};

export function createDatabasePollPace(): DatabasePollPace {
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

/** A sign-in passed on by CloudWatch Logs, not the schedule's event. */
export const isSignInLogEvent = (event: unknown): boolean =>
  typeof event === "object" && event !== null && "awslogs" in event;
