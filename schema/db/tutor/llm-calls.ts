import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, primaryKey, varchar } from "drizzle-orm/pg-core";
import { type CallOutcome, type CallPurpose, callOutcomes, callPurposes } from "../../enums.ts";
import { universities } from "../identity/universities.ts";
import {
  bigId,
  bigReferenceId,
  calendarDate,
  instant,
  lowerEnum,
  now,
  oneOf,
  reference,
} from "../platform/columns.ts";

const tokens = () => integer().notNull().default(0);

/**
 * An LLM call, recorded when its producer claimed the answer, including failures and crashes. References may
 * be deleted objects; sums stay.
 */
export const llmCalls = pgTable(
  "llm_calls",
  {
    id: bigId(),
    started_at: instant().notNull().default(now),
    ended_at: instant(),
    university_id: integer(),
    course_id: integer(),
    content_item_id: integer(),
    /** The person and message that caused it; many others may have received the answer. */
    user_id: integer(),
    message_id: bigReferenceId(),
    model: varchar({ length: 255 }).notNull(),
    /** As the provider counts: input excludes tokens read from or written to its cache. */
    input_tokens: tokens(),
    output_tokens: tokens(),
    cache_read_tokens: tokens(),
    cache_write_tokens: tokens(),
    /** Whether the provider did not report the usage, so it is computed from the length of the texts. */
    usage_estimated: boolean().notNull().default(false),
    /** Tokens reserved in the university's month until the call ends. */
    reserved_tokens: integer().notNull(),
    /** In millionths of the currency of `LLM_PRICES`; null while running, or for a model without a price. */
    cost_micros: bigint({ mode: "number" }),
    /** Time to the model's first text; null for none. */
    first_word_ms: integer(),
    outcome: lowerEnum<CallOutcome>().notNull().default("started"),
    /** Whether it only repaired an unreadable question; does not count as a turn. */
    is_repair: boolean().notNull().default(false),
    purpose: lowerEnum<CallPurpose>().notNull().default("turn"),
    /** Whether it was part of a batch: batch prices apply, and it may run for more than a day. */
    is_batch: boolean().notNull().default(false),
    /** Its warming, which may be deleted; found through the item's calls. */
    warming_id: bigReferenceId(),
  },
  (table) => [
    index().on(table.user_id, table.started_at),
    index().on(table.university_id, table.started_at),
    index().on(table.course_id),
    index().on(table.content_item_id),
    index().on(table.message_id),
    index().on(table.started_at),
    // Few calls: providers report usage, unless an answer breaks off.
    index("llm_calls_estimated_index").on(table.started_at).where(sql`${table.usage_estimated}`),
    // Few calls: running ones and those of crashed producers.
    index("llm_calls_open_index").on(table.started_at).where(sql`${table.outcome} = 'started'`),
    oneOf(table.outcome, callOutcomes),
    oneOf(table.purpose, callPurposes),
  ],
);

/**
 * Limits of LLM use by university: the platform's override of the settings, and the university's own. The
 * lower one applies; null sets none.
 */
export const tutorBudgets = pgTable("tutor_budgets", {
  university_id: reference(() => universities.id, "cascade").primaryKey(),
  granted_turns_per_day: integer(),
  granted_turns_at_once: integer(),
  granted_tokens_per_month: bigint({ mode: "number" }),
  own_turns_per_day: integer(),
  own_turns_at_once: integer(),
  own_tokens_per_month: bigint({ mode: "number" }),
});

/** A university's tokens in a calendar month in UTC: used, and reserved by running calls. */
export const tutorMonths = pgTable(
  "tutor_months",
  {
    university_id: reference(() => universities.id, "cascade").notNull(),
    month: calendarDate().notNull(),
    tokens: bigint({ mode: "number" }).notNull(),
    /** Tokens of prompt trials, which have their own budget. */
    trial_tokens: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.university_id, table.month] })],
);
