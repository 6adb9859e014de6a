import { sql } from "drizzle-orm";
import * as z from "zod";
import { llmBatchStates } from "../../../../schema/enums.ts";
import { rowsOf } from "../../../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../../../platform/db/retry-window.ts";
import { maxBatchRequests } from "../../../platform/llm/batches.ts";
import { caseLeaseDuration, type WorkDeps } from "../held-case.ts";

const HeldBatch = z.object({
  id: z.int(),
  trial_id: z.int(),
  marker: z.string(),
  provider_id: z.string().nullable(),
  state: z.enum(llmBatchStates),
  requests: z.int(),
  token: z.string(),
  age_seconds: z.number(),
  is_stopped: z.boolean(),
  is_cancelled: z.boolean(),
});

export type LeasedBatch = z.output<typeof HeldBatch>;

/** Leases a batch with a due step, or begins one if the provider has batches; undefined for none. */
export async function claimOrCreateBatch({ db, llm }: WorkDeps): Promise<LeasedBatch | undefined> {
  const [held] = await rowsOf(
    db,
    HeldBatch,
    sql`
    select one.id, one.trial_id, one.marker, one.provider_id, one.state, one.requests, one.token,
           coalesce(extract(epoch from clock_timestamp() - one.sent_at), 0)::float8 as age_seconds,
           trial.state <> 'running' as is_stopped, one.cancelled_at is not null as is_cancelled
    from claim_or_create_trial_batch(${llm.batches ? maxBatchRequests : 0}, ${caseLeaseDuration}::interval) as one
    join trials as trial on trial.id = one.trial_id`,
  );
  return held;
}

/** Releases the batch until its next step in `seconds`. */
export const releaseBatch = async (
  { db }: WorkDeps,
  { id, token }: LeasedBatch,
  seconds: number,
  { wasCancelled = false } = {},
): Promise<void> =>
  void (await db.execute(sql`
    update llm_batches set
      token = null, leased_until = clock_timestamp() + make_interval(secs => ${seconds}::float8),
      cancelled_at = case when ${wasCancelled} then coalesce(cancelled_at, clock_timestamp()) else cancelled_at end
    where id = ${id} and token = ${token}::uuid`));

/** Unanswered cases are asked immediately, after `unsent` in another batch. */
export async function endBatch(
  { db, metrics }: WorkDeps,
  { id }: LeasedBatch,
  how: "ended" | "lost" | "refused" | "unsent",
): Promise<void> {
  await retryWhileUnavailable(() =>
    db.execute(sql`select end_trial_batch_requeuing_unanswered(${id}, ${how})`).then(() => {}),
  );
  metrics.llmBatchEnded(how === "unsent" ? "refused" : how);
}
