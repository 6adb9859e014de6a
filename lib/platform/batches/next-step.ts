import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { retryWhileUnavailable } from "../db/retry-window.ts";
import { maxBatchHours } from "../llm/batches.ts";
import { type LlmBatches, LlmError } from "../llm/provider.ts";

export type OpenBatch = {
  id: number;
  marker: string;
  provider_id: string | null;
  requests: number;
  /** Since it was sent, by the database's clock. */
  age_seconds: number;
  /** Its answers are no longer needed. */
  is_stopped: boolean;
  is_cancelled: boolean;
};

/**
 * `lost`: its fate is unknown. `refused`: the provider rejected it. `unsent`: it never reached the provider.
 */
export type NextBatchStep =
  | { next: "take"; id: string }
  | { next: "wait"; seconds: number; wasCancelled?: boolean; failure?: LlmError }
  | { next: "end"; how: "lost" | "refused" | "unsent" };

/** Timeout of one request to the provider. */
const questionSeconds = 60;

/** How long the provider may take to list a new batch. */
const listedSeconds = 120;

/** How much longer than a day to wait for a batch. */
const graceHours = 2;

export async function determineNextBatchStep(
  db: Db,
  batches: LlmBatches | undefined,
  batch: OpenBatch,
): Promise<NextBatchStep> {
  // The operator has switched providers.
  if (!batches) return { next: "end", how: batch.provider_id ? "lost" : "refused" };
  try {
    return batch.provider_id === null
      ? await findAgain(db, batches, batch)
      : await look(batches, batch, batch.provider_id);
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    if (isOverdue(batch)) return { next: "end", how: "lost" };
    return { next: "wait", seconds: error.retryAfter ?? pauseOf(batch), failure: error };
  }
}

/** Looks for a batch whose send got no response. An unlisted batch counts as unsent. */
async function findAgain(db: Db, batches: LlmBatches, batch: OpenBatch): Promise<NextBatchStep> {
  const sent = { ...batch, sentAt: new Date(Date.now() - batch.age_seconds * 1000) };
  const found = await batches.find(sent, await knownBatches(db), AbortSignal.timeout(questionSeconds * 1000));
  if (typeof found === "object") {
    await markBatchSent(db, batch.id, found.id);
    return { next: "wait", seconds: 0 };
  }
  if (isOverdue(batch)) return { next: "end", how: "lost" };
  if (found === "none" && batch.age_seconds > listedSeconds) return { next: "end", how: "unsent" };
  return { next: "wait", seconds: found === "none" ? 30 : pauseOf(batch) };
}

async function look(batches: LlmBatches, batch: OpenBatch, id: string): Promise<NextBatchStep> {
  const signal = AbortSignal.timeout(questionSeconds * 1000);
  const state = await batches.look(id, signal);
  if (state === "lost") return { next: "end", how: "lost" };
  if (state === "ended") return { next: "take", id };
  const isOver = isOverdue(batch);
  if (isOver || (batch.is_stopped && !batch.is_cancelled)) await batches.cancel(id, signal);
  if (isOver) return { next: "end", how: "lost" };
  return { next: "wait", seconds: pauseOf(batch), wasCancelled: batch.is_stopped };
}

const isOverdue = ({ age_seconds }: OpenBatch): boolean => age_seconds > (maxBatchHours + graceHours) * 3600;

/** Seconds. The interval grows with the batch's age. */
const pauseOf = ({ age_seconds }: OpenBatch): number => Math.min(Math.max(15, age_seconds / 10), 300);

/** The first name stays. */
export const markBatchSent = (db: Db, id: number, provider: string): Promise<void> =>
  retryWhileUnavailable(async () => {
    await db.execute(
      sql`update llm_batches set state = 'sent', provider_id = ${provider} where id = ${id} and state = 'sending'`,
    );
  });

const Known = z.object({ provider_id: z.string() });

async function knownBatches(db: Db): Promise<string[]> {
  const rows = await rowsOf(
    db,
    Known,
    sql`select provider_id from llm_batches
        where provider_id is not null and sent_at > clock_timestamp() - interval '3 days'`,
  );
  return rows.map(({ provider_id }) => provider_id);
}
