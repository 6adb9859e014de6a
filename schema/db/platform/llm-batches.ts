import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, uniqueIndex, uuid, varchar } from "drizzle-orm/pg-core";
import { type LlmBatchState, llmBatchStates } from "../../enums.ts";
import { trials } from "../tutor/trials.ts";
import { warmings } from "../tutor/warmings.ts";
import { bigId, bigReference, instant, lowerEnum, now, oneOf } from "./columns.ts";

/**
 * A batch of LLM calls at a reduced price, for a trial or warming, one at a time for each. Processes run its
 * steps in turn; the row exists before anything is sent.
 */
export const llmBatches = pgTable(
  "llm_batches",
  {
    id: bigId(),
    trial_id: bigReference(() => trials.id, "cascade"),
    warming_id: bigReference(() => warmings.id, "cascade"),
    /**
     * Sent with the batch, to find it again if the response was lost; also the lease token of its cases and
     * nodes.
     */
    marker: uuid().notNull().default(sql`gen_random_uuid()`),
    /** The provider's id. */
    provider_id: varchar({ length: 255 }),
    state: lowerEnum<LlmBatchState>().notNull().default("gathering"),
    requests: integer().notNull().default(0),
    /** The lease of the current step, by the machine's clock. */
    token: uuid(),
    leased_until: instant(),
    created_at: instant().notNull().default(now),
    /** By the machine's clock, as the provider's times are. */
    sent_at: instant(),
    cancelled_at: instant(),
    ended_at: instant(),
  },
  (table) => [
    uniqueIndex("llm_batches_open_trial_key")
      .on(table.trial_id)
      .where(sql`${table.state} in ('gathering', 'sending', 'sent')`),
    uniqueIndex("llm_batches_open_warming_key")
      .on(table.warming_id)
      .where(sql`${table.state} in ('gathering', 'sending', 'sent')`),
    index().on(table.trial_id),
    index().on(table.warming_id),
    index("llm_batches_open_index")
      .on(table.leased_until)
      .where(sql`${table.state} in ('gathering', 'sending', 'sent')`),
    index().on(table.sent_at),
    oneOf(table.state, llmBatchStates),
    check("llm_batches_owner_check", sql`num_nonnulls(${table.trial_id}, ${table.warming_id}) = 1`),
  ],
);
