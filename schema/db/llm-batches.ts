import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, uniqueIndex, uuid, varchar } from "drizzle-orm/pg-core";
import { type LlmBatchState, llmBatchStates } from "../enums.ts";
import { bigId, bigReference, instant, lowerEnum, now, oneOf } from "./columns.ts";
import { trials } from "./trials.ts";
import { warmings } from "./warmings.ts";

/**
 * Calls that are sent to the provider together, at a part of their price, for a trial or a warming: one at a time for each. A
 * batch outlives processes, each of which does a step of it; its row is there before anything is sent.
 */
export const llmBatches = pgTable(
  "llm_batches",
  {
    id: bigId(),
    trial_id: bigReference(() => trials.id, "cascade"),
    warming_id: bigReference(() => warmings.id, "cascade"),
    /** Is sent along, so that a batch whose sending was not answered is found again; and holds what it asks for. */
    marker: uuid().notNull().default(sql`gen_random_uuid()`),
    /** The provider's own name of it. */
    provider_id: varchar({ length: 255 }),
    state: lowerEnum<LlmBatchState>().notNull().default("gathering"),
    /** How many requests it has. */
    requests: integer().notNull().default(0),
    /** Of the machine's own clock: whose step it is, and until when nobody else looks at it. */
    token: uuid(),
    leased_until: instant(),
    created_at: instant().notNull().default(now),
    /** Of the machine's own clock, as the provider's is. */
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
