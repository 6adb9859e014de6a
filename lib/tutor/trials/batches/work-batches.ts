import { determineNextBatchStep } from "../../../platform/batches/next-step.ts";
import { describeError } from "../../../platform/logging/log.ts";
import type { WorkDeps } from "../held-case.ts";
import { claimOrCreateBatch, endBatch, type LeasedBatch, releaseBatch } from "./held-batch.ts";
import { sendBatch } from "./send-batch.ts";
import { storeBatchResults } from "./take-results.ts";

/** Runs due steps until the signal aborts. Returns their number. */
export async function processTrialBatches(deps: WorkDeps, signal: AbortSignal): Promise<number> {
  let steps = 0;
  while (!signal.aborted) {
    const held = await claimOrCreateBatch(deps);
    if (!held) break;
    steps += 1;
    await doStep(deps, held).catch((error) =>
      // Its lease expires, and another worker retries it.
      deps.log.error(
        { error: describeError(error), llm_batch: held.id },
        "a batch of a trial was interrupted",
      ),
    );
  }
  return steps;
}

async function doStep(deps: WorkDeps, held: LeasedBatch): Promise<void> {
  const { batches } = deps.llm;
  if (batches && held.state === "gathering") return sendBatch(deps, batches, held);
  const step = await determineNextBatchStep(deps.db, batches, held);
  if (step.next === "end") return endBatch(deps, held, step.how);
  if (step.next === "wait") {
    const { seconds, failure, wasCancelled = false } = step;
    if (failure)
      deps.log.warn({ error: describeError(failure), llm_batch: held.id }, "the provider failed a batch");
    return releaseBatch(deps, held, seconds, { wasCancelled });
  }
  if (batches) await storeBatchResults(deps, batches, held, step.id);
  await endBatch(deps, held, "ended");
}
