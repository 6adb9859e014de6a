import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { retrying } from "../db/retry-window.ts";
import { hoursOfBatch } from "../llm/batches.ts";
import { type LlmBatches, LlmError } from "../llm/provider.ts";

/** A batch that was put together, sent or not, as its row has it. */
export type OpenBatch = {
  id: number;
  marker: string;
  provider_id: string | null;
  requests: number;
  /** Since it was sent, by the database's clock. */
  age_seconds: number;
  /** Nobody wants its answers any more. */
  is_stopped: boolean;
  is_cancelled: boolean;
};

/**
 * What is to be done next with a batch that was sent: its answers are there to be `take`n, it is looked at again in so many
 * seconds, or has ended without any: `lost` where nobody knows what became of it, `refused` where the provider does not take it,
 * `unsent` where it never arrived there.
 */
export type NextStep =
  | { next: "take"; id: string }
  | { next: "wait"; seconds: number; wasCancelled?: boolean; failure?: LlmError }
  | { next: "end"; how: "lost" | "refused" | "unsent" };

/** No single question to the provider takes longer. */
const questionSeconds = 60;

/** How long a batch that was just sent may take until the provider lists it. */
const listedSeconds = 120;

/** How much longer than its day a batch is waited for. */
const graceHours = 2;

/** Asks the provider about a batch. */
export async function nextStepOf(
  db: Db,
  batches: LlmBatches | undefined,
  batch: OpenBatch,
): Promise<NextStep> {
  // The operator has named another provider since.
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

/** Its sending was not answered: it is looked for, and taken for one that never arrived where it is not there. */
async function findAgain(db: Db, batches: LlmBatches, batch: OpenBatch): Promise<NextStep> {
  const sent = { ...batch, sentAt: new Date(Date.now() - batch.age_seconds * 1000) };
  const found = await batches.find(sent, await knownBatches(db), AbortSignal.timeout(questionSeconds * 1000));
  if (typeof found === "object") {
    await noteSentBatch(db, batch.id, found.id);
    return { next: "wait", seconds: 0 };
  }
  if (isOverdue(batch)) return { next: "end", how: "lost" };
  if (found === "none" && batch.age_seconds > listedSeconds) return { next: "end", how: "unsent" };
  return { next: "wait", seconds: found === "none" ? 30 : pauseOf(batch) };
}

async function look(batches: LlmBatches, batch: OpenBatch, id: string): Promise<NextStep> {
  const signal = AbortSignal.timeout(questionSeconds * 1000);
  const state = await batches.look(id, signal);
  if (state === "lost") return { next: "end", how: "lost" };
  if (state === "ended") return { next: "take", id };
  const isOver = isOverdue(batch);
  if (isOver || (batch.is_stopped && !batch.is_cancelled)) await batches.cancel(id, signal);
  if (isOver) return { next: "end", how: "lost" };
  return { next: "wait", seconds: pauseOf(batch), wasCancelled: batch.is_stopped };
}

const isOverdue = ({ age_seconds }: OpenBatch): boolean => age_seconds > (hoursOfBatch + graceHours) * 3600;

/** A batch is looked at the less often the longer it takes; in seconds. */
const pauseOf = ({ age_seconds }: OpenBatch): number => Math.min(Math.max(15, age_seconds / 10), 300);

/** The provider has a batch, under its own name. The first name stays. */
export const noteSentBatch = (db: Db, id: number, provider: string): Promise<void> =>
  retrying(async () => {
    await db.execute(
      sql`update llm_batches set state = 'sent', provider_id = ${provider} where id = ${id} and state = 'sending'`,
    );
  });

const Known = z.object({ provider_id: z.string() });

/** The provider's names of the batches that are ours by our own knowledge. */
async function knownBatches(db: Db): Promise<string[]> {
  const rows = await rowsOf(
    db,
    Known,
    sql`select provider_id from llm_batches
        where provider_id is not null and sent_at > clock_timestamp() - interval '3 days'`,
  );
  return rows.map(({ provider_id }) => provider_id);
}
