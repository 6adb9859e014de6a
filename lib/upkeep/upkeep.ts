import { countNew } from "../analytics/count-new.ts";
import { forgetAuditEvents } from "../audit/retention.ts";
import { loseForgottenCalls } from "../budgets/lost-calls.ts";
import { foldAllVisits, pruneTree } from "../chat/prune.ts";
import type { Deps } from "../deps.ts";
import { forgetNotifications } from "../notifications/retention.ts";

type Parts = Pick<Deps, "db" | "config" | "now">;

/** A piece of work that nobody asks for: does what there is until `signal`, and answers how much it was. */
type Task = (parts: Parts, signal: AbortSignal) => Promise<object | number>;

/** Several times an hour, so that whoever reads a report or a tree finds little to count first. */
const frequent = {
  new_events: ({ db }, signal) => countNew(db, signal),
  folded_visits: ({ db }, signal) => foldAllVisits(db, signal),
  lost_calls: ({ db }, signal) => loseForgottenCalls(db, signal),
} satisfies Record<string, Task>;

/** Once a day, in the quiet hours. */
const daily = {
  ...frequent,
  forgotten_notifications: forgetNotifications,
  forgotten_audit_events: forgetAuditEvents,
  pruned: ({ db, config }, signal) => pruneTree(db, config, signal),
} satisfies Record<string, Task>;

/** Counts what is new for the reports and the tree, and gives back what killed calls of the LLM reserved. */
export const doFrequentUpkeep = (parts: Parts, signal: AbortSignal) => doEach(frequent, parts, signal);

/** The same, then forgets what has been kept for long enough and prunes the tree; what is left over waits for the next day. */
export const doDailyUpkeep = (parts: Parts, signal: AbortSignal) => doEach(daily, parts, signal);

/** Does one task after the other, each also where one before it failed; rejects in the end with all that failed. */
async function doEach(tasks: Record<string, Task>, parts: Parts, signal: AbortSignal) {
  const done: Record<string, object | number> = {};
  const failed: unknown[] = [];
  for (const [name, task] of Object.entries(tasks)) {
    try {
      done[name] = await task(parts, signal);
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("; "));
  return done;
}
