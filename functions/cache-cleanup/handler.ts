import { pruneTree } from "../../lib/chat/prune.ts";
import { loadConfig } from "../../lib/config.ts";
import { wire } from "../../lib/deps.ts";

const deps = wire(loadConfig());

/** What is left of the function's time when the pruning stops, to end its last batch and report. */
const reserveMilliseconds = 10_000;

/** The daily event of the schedule: prunes the tree within the function's time. */
export async function handler(_event: unknown, context: { getRemainingTimeInMillis(): number }) {
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
  const pruned = await pruneTree(deps.db, deps.config, signal);
  deps.log.info(pruned, "the tree was pruned");
  return pruned;
}
