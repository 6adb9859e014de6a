import { isSignOfLife, paceOfSchedule } from "./pace.ts";

/** A round of work that ends with its signal; `nextDue` is when the next thing is due that waits already. */
type Round = (signal: AbortSignal) => Promise<{ nextDue?: Date | undefined; [count: string]: unknown }>;

/**
 * A function of the schedule that is called each minute, and at signs of life, and looks into the database when its pace
 * says so. Its round is told to stop when `reserveMilliseconds` of its time are left, for what is under way then.
 */
export function pacedFunction({ now }: { now: () => Date }, reserveMilliseconds: number, work: Round) {
  const pace = paceOfSchedule();
  return async (event: unknown, context: { getRemainingTimeInMillis(): number }) => {
    if (isSignOfLife(event)) pace.wake(now());
    if (!pace.isDue(now())) return { looked: false };
    const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
    const { nextDue, ...counts } = await work(signal);
    pace.looked(now(), nextDue);
    return { ...counts, looked: true };
  };
}
