import type { CloudWatchLogsEvent, Context, ScheduledEvent } from "aws-lambda";
import { forEachSettled } from "../async/for-each-settled.ts";
import type { Logger } from "../logging/log.ts";
import { isSignOfLife, paceOfSchedule } from "../schedule/pace.ts";
import type { Job } from "./jobs.ts";

/** What a round did, in counts; `nextDue` is when the next thing is due that waits already. */
type Outcome = { nextDue?: Date | undefined; [count: string]: unknown };

/** From the schedule, an operator, or a subscription to CloudWatch Logs. */
type JobEvent = ScheduledEvent | { job?: string } | CloudWatchLogsEvent;

export type JobHandler = (
  event: JobEvent,
  context: Pick<Context, "getRemainingTimeInMillis">,
) => Promise<{ looked: boolean; [count: string]: unknown }>;

type Bound = readonly [Job, (signal: AbortSignal) => Promise<Outcome>];

/**
 * A function that the schedule calls for its jobs, of which an event names one, `{ job }`, or means the first: does it
 * and those that follow it, each until its reserve of the function's time is left, and answers what they did. What is
 * called each minute, and at signs of life, looks into the database when its pace says so: else `looked` is false.
 * Rejects in the end with all that failed.
 */
export function scheduled(
  { now, log }: { now: () => Date; log: Logger },
  ...bound: [Bound, ...Bound[]]
): JobHandler {
  const pace = paceOfSchedule();
  return async (event, context) => {
    if (isSignOfLife(event)) pace.wake(now());
    const [asked] = bound.find(([{ name }]) => name === jobOf(event)) ?? bound[0];
    if (isEachMinute(asked) && !pace.isDue(now())) return { looked: false };
    const round = [asked.name, ...(asked.followedBy ?? [])];
    const outcome: Outcome = {};
    await forEachSettled(
      bound.filter(([{ name }]) => round.includes(name)),
      async ([{ reserveSeconds }, verb]) => {
        const left = context.getRemainingTimeInMillis() - reserveSeconds * 1000;
        Object.assign(outcome, await verb(AbortSignal.timeout(Math.max(1, left))));
      },
    );
    const { nextDue, ...counts } = outcome;
    pace.looked(now(), nextDue);
    if (asked.called && "dailyAt" in asked.called)
      log.info({ job: asked.name, ...counts }, "a day's job was done");
    return { ...counts, looked: true };
  };
}

const isEachMinute = ({ called }: Job): boolean =>
  called !== undefined && "everySeconds" in called && called.everySeconds === 60;

const jobOf = (event: JobEvent | null): string | undefined =>
  event && "job" in event ? event.job : undefined;
