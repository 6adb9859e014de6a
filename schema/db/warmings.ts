import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, uniqueIndex, uuid, varchar } from "drizzle-orm/pg-core";
import {
  type WarmingNodeState,
  type WarmingState,
  type WarmingStop,
  warmingNodeStates,
  warmingStates,
  warmingStops,
} from "../enums.ts";
import {
  bigId,
  bigReference,
  bigReferenceId,
  instant,
  json,
  lowerEnum,
  now,
  oneOf,
  reference,
} from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { prompts } from "./prompts.ts";

/**
 * A topic whose stored answers are made before a class comes, by a job that many processes may take up one after the other:
 * each holds it for as long as it shows signs of life. It is nobody's: whoever asked for it stands in the audit log.
 */
export const warmings = pgTable(
  "warmings",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** The key of the nodes that are made: what was estimated is what is made, or nothing. */
    prompt_id: reference(() => prompts.id, "cascade").notNull(),
    prompt_name: varchar({ length: 255 }).notNull(),
    prompt_version: integer().notNull(),
    model: varchar({ length: 255 }).notNull(),
    prompt_fingerprint: varchar({ length: 64 }).notNull(),
    content_fingerprint: varchar({ length: 64 }).notNull(),
    /** Whether larger levels are sent as batches. */
    by_batch: boolean().notNull().default(true),
    /** How many nodes it makes at most. */
    most_nodes: integer().notNull(),
    /** What making them all was expected to use. */
    estimated_input_tokens: bigint({ mode: "number" }).notNull().default(0),
    estimated_output_tokens: bigint({ mode: "number" }).notNull().default(0),
    /** Of these what goes as batches. */
    estimated_batch_input_tokens: bigint({ mode: "number" }).notNull().default(0),
    estimated_batch_output_tokens: bigint({ mode: "number" }).notNull().default(0),
    state: lowerEnum<WarmingState>().notNull().default("waiting"),
    stop_reason: lowerEnum<WarmingStop>(),
    lease_token: uuid(),
    lease_until: instant(),
    created_at: instant().notNull().default(now),
    started_at: instant(),
    ended_at: instant(),
  },
  (table) => [
    uniqueIndex("warmings_open_key")
      .on(table.content_item_id)
      .where(sql`${table.state} in ('waiting', 'running')`),
    index().on(table.content_item_id, table.id),
    index().on(table.prompt_id),
    oneOf(table.state, warmingStates),
    oneOf(table.stop_reason, warmingStops),
  ],
);

/** The answers that a warming is to make, by the messages that lead to them; a level is made before the next one. */
export const warmingNodes = pgTable(
  "warming_nodes",
  {
    id: bigId(),
    warming_id: bigReference(() => warmings.id, "cascade").notNull(),
    /** The messages from the root, in their normal form, itself included: as many as its level. */
    path: json<string[]>().notNull(),
    level: integer().notNull(),
    expected_visits: bigint({ mode: "number" }).notNull(),
    /** The batch that it was part of, which may have ended without its answer, and its call while that is under way. */
    batch_id: bigReferenceId(),
    call_id: bigReferenceId(),
    state: lowerEnum<WarmingNodeState>().notNull().default("waiting"),
  },
  (table) => [index().on(table.warming_id, table.id), oneOf(table.state, warmingNodeStates)],
);
