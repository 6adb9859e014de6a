import { countNew } from "../../lib/analytics/count-new.ts";
import { pruneTree } from "../../lib/chat/prune.ts";
import { loadConfig } from "../../lib/config.ts";
import { wire } from "../../lib/deps.ts";

const deps = wire(loadConfig());

/** What is left of the function's time when the pruning stops, to end its last batch and report. */
const reserveMilliseconds = 10_000;

/** What the schedule asks for: by default everything, twice an hour only the counting for the reports. */
type Task = { task?: "count" };

/** An event of the schedule: counts what is new for the reports, and prunes the tree within the function's time. */
export async function handler({ task }: Task, context: { getRemainingTimeInMillis(): number }) {
  const counted = await countNew(deps.db);
  if (task === "count") return counted;
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
  const pruned = await pruneTree(deps.db, deps.config, signal);
  deps.log.info({ ...counted, ...pruned }, "the tree was pruned");
  return pruned;
}
