import { sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { describeError } from "../../platform/logging/log.ts";
import { processTrialBatches } from "./batches/work-batches.ts";
import { runCaseCallWithinBudget } from "./case-call.ts";
import { claimCase, maxConcurrentTrialCalls, type WorkDeps } from "./held-case.ts";

/**
 * Works on cases and due batch steps until the signal aborts or none is left. Waits for work in progress.
 * Returns the number of cases and the next due time.
 */
export async function processTrials(
  deps: WorkDeps,
  signal: AbortSignal,
): Promise<{ cases: number; nextDue?: Date | undefined }> {
  let cases = 0;
  const work = async () => {
    while (!signal.aborted) {
      const held = await claimCase(deps);
      if (!held) return;
      cases += 1;
      await runCaseCallWithinBudget(deps, held).catch((error) =>
        // Its lease expires, and another worker retries it.
        deps.log.error(
          { error: describeError(error), trial_case: held.id },
          "a case of a trial was interrupted",
        ),
      );
    }
  };
  for (;;) {
    const batches = processTrialBatches(deps, signal);
    const ended = await Promise.allSettled([
      batches,
      ...Array.from({ length: maxConcurrentTrialCalls }, work),
    ]);
    for (const one of ended) if (one.status === "rejected") throw one.reason;
    // The rest of a batch is asked immediately, or joins the next batch.
    if ((await batches) === 0 || signal.aborted) break;
  }
  return { cases, nextDue: await nextDue(deps) };
}

const Due = z.object({ due: StoredInstant.nullable() });

/** The next batch check, or the next retry of a failed or abandoned case. */
async function nextDue({ db }: WorkDeps): Promise<Date | undefined> {
  const [next] = await rowsOf(
    db,
    Due,
    sql`
    select least(
      (select min(leased_until) from llm_batches where trial_id is not null and state in ('gathering', 'sending', 'sent')),
      (select min(coalesce(leased_until, clock_timestamp())) from trial_cases
       where state in ('waiting', 'running') and batch_id is null
         and trial_id in (select id from trials where state in ('running', 'stopped')))) as due`,
  );
  return next?.due ? new Date(next.due) : undefined;
}
