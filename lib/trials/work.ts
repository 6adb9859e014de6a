import { sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf, StoredInstant } from "../db/query/rows.ts";
import { describeError } from "../logging/log.ts";
import { workBatches } from "./batches/work-batches.ts";
import { makeCall } from "./case-call.ts";
import { callsAtOnce, claimCase, type WorkDeps } from "./held-case.ts";

/**
 * Asks for the cases of running trials until its signal, or until none is left to take, and does the steps of their batches
 * that are due; what is under way then is waited for. Answers how often a case was taken up, and when there is something to do
 * again.
 */
export async function workTrials(
  deps: WorkDeps,
  signal: AbortSignal,
): Promise<{ cases: number; nextDue?: Date | undefined }> {
  let cases = 0;
  const work = async () => {
    while (!signal.aborted) {
      const held = await claimCase(deps);
      if (!held) return;
      cases += 1;
      await makeCall(deps, held).catch((error) =>
        // Its lease lapses, and someone takes it up again.
        deps.log.error({ error: describeError(error), trial_case: held.id }, "a case of a trial was left"),
      );
    }
  };
  for (;;) {
    const batches = workBatches(deps, signal);
    const ended = await Promise.allSettled([batches, ...Array.from({ length: callsAtOnce }, work)]);
    for (const one of ended) if (one.status === "rejected") throw one.reason;
    // What a batch leaves is asked at once, or goes into the next one.
    if ((await batches) === 0 || signal.aborted) break;
  }
  return { cases, nextDue: await nextDue(deps) };
}

const Due = z.object({ due: StoredInstant.nullable() });

/** When a batch is to be looked at next, or a case to be taken up again that failed or whose process died. */
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
