import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, primaryKey, varchar } from "drizzle-orm/pg-core";
import { type CallOutcome, type CallPurpose, callOutcomes, callPurposes } from "../enums.ts";
import { bigId, bigReferenceId, calendarDate, instant, lowerEnum, now, oneOf, reference } from "./columns.ts";
import { universities } from "./universities.ts";

const tokens = () => integer().notNull().default(0);

/**
 * Each call of the LLM, from the moment at which its maker claimed the answer: also one that fails, and one whose maker
 * was killed. What it belonged to may be gone, and is named all the same; the sums stay.
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
    /** Whose message it was made for, and which; many others may have heard the answer. */
    user_id: integer(),
    message_id: bigReferenceId(),
    model: varchar({ length: 255 }).notNull(),
    /** As the provider counts them: what was read from its cache, or written to it, is no part of the input. */
    input_tokens: tokens(),
    output_tokens: tokens(),
    cache_read_tokens: tokens(),
    cache_write_tokens: tokens(),
    /** What it was counted with in its university's month until its end. */
    reserved_tokens: integer().notNull(),
    /** In millionths of the currency of `LLM_PRICES`; null while it runs, and where the model has no price there. */
    cost_micros: bigint({ mode: "number" }),
    /** Until the model's first word; null where it said none. */
    first_word_ms: integer(),
    outcome: lowerEnum<CallOutcome>().notNull().default("started"),
    /** It asked for the question alone of an answer whose own could not be read: no turn of the person's. */
    is_repair: boolean().notNull().default(false),
    purpose: lowerEnum<CallPurpose>().notNull().default("turn"),
    /** It was part of a batch: its cost is what a batch's calls cost, and it may be open for more than a day. */
    is_batch: boolean().notNull().default(false),
    /** The warming that it was made for, which may be gone: it is looked for among the calls of its item. */
    warming_id: bigReferenceId(),
  },
  (table) => [
    index().on(table.user_id, table.started_at),
    index().on(table.university_id, table.started_at),
    index().on(table.course_id),
    index().on(table.content_item_id),
    index().on(table.message_id),
    index().on(table.started_at),
    // Few of all: those that are under way, and those whose makers were killed.
    index("llm_calls_open_index").on(table.started_at).where(sql`${table.outcome} = 'started'`),
    oneOf(table.outcome, callOutcomes),
    oneOf(table.purpose, callPurposes),
  ],
);

/**
 * What a university's people may have the LLM make: as the platform granted it, in place of the settings, and as the
 * university itself wants it. The lower one holds; null says nothing.
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

/** The tokens of a university in a calendar month of UTC: those that were used, and those of calls that still run. */
export const tutorMonths = pgTable(
  "tutor_months",
  {
    university_id: reference(() => universities.id, "cascade").notNull(),
    month: calendarDate().notNull(),
    tokens: bigint({ mode: "number" }).notNull(),
    /** The same of trials of prompts, which have a budget of their own. */
    trial_tokens: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.university_id, table.month] })],
);
