import { countNew } from "../../lib/analytics/count-new.ts";
import { forgetAuditEvents } from "../../lib/audit/retention.ts";
import { loseForgottenCalls } from "../../lib/budgets/lost-calls.ts";
import { foldAllVisits, pruneTree } from "../../lib/chat/prune.ts";
import { loadConfig } from "../../lib/config.ts";
import { wire } from "../../lib/deps.ts";
import { forgetNotifications } from "../../lib/notifications/retention.ts";

const deps = wire(loadConfig());

/** What is left of the function's time when the pruning stops, to end its last batch and report. */
const reserveMilliseconds = 10_000;

/** What the schedule asks for: by default everything, twice an hour only the counting. */
type Task = { task?: "count" };

/**
 * An event of the schedule: counts what is new for the reports and the tree, gives back what killed calls of the LLM reserved, and,
 * within the function's time, prunes the tree and forgets what has been kept for long enough.
 */
export async function handler({ task }: Task, context: { getRemainingTimeInMillis(): number }) {
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
  const new_events = await countNew(deps.db);
  await foldAllVisits(deps.db, signal);
  await loseForgottenCalls(deps.db, signal);
  if (task === "count") return { new_events };
  await forgetNotifications(deps, signal);
  await forgetAuditEvents(deps, signal);
  const pruned = await pruneTree(deps.db, deps.config, signal);
  deps.log.info({ new_events, ...pruned }, "the tree was pruned");
  return pruned;
}
