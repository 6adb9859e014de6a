import type { CloudWatchLogsEvent, Context, ScheduledEvent } from "aws-lambda";
import { forEachSettled } from "../async/for-each-settled.ts";
import type { Logger } from "../logging/log.ts";
import { createDatabasePollPace, isSignInLogEvent } from "../schedule/pace.ts";
import type { Job } from "./jobs.ts";

/** `nextDue` is the due time of the next waiting item. */
type Outcome = { nextDue?: Date | undefined; [count: string]: unknown };

type JobEvent = ScheduledEvent | { job?: string } | CloudWatchLogsEvent;

export type LambdaJobHandler = (
  event: JobEvent,
  context: Pick<Context, "getRemainingTimeInMillis">,
) => Promise<{ looked: boolean; [count: string]: unknown }>;

type Bound = readonly [Job, (signal: AbortSignal) => Promise<Outcome>];

/**
 * Runs the event's `{ job }`, or the first, and its followers, each until its reserve of the function's time.
 * Calls each minute, and after a sign-in, read the database only when the pace allows; otherwise `looked` is
 * false. Rejects at the end with all failures.
 */
export function createLambdaJobHandler(
  { now, log }: { now: () => Date; log: Logger },
  ...bound: [Bound, ...Bound[]]
): LambdaJobHandler {
  const pace = createDatabasePollPace();
  return async (event, context) => {
    if (isSignInLogEvent(event)) pace.wake(now());
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
      log.info({ job: asked.name, ...counts }, "a daily job ran");
    return { ...counts, looked: true };
  };
}

const isEachMinute = ({ called }: Job): boolean =>
  called !== undefined && "everySeconds" in called && called.everySeconds === 60;

const jobOf = (event: JobEvent | null): string | undefined =>
  event && "job" in event ? event.job : undefined;
