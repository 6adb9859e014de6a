import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, uniqueIndex, uuid, varchar } from "drizzle-orm/pg-core";
import {
  type WarmingNodeState,
  type WarmingState,
  type WarmingStop,
  warmingNodeStates,
  warmingStates,
  warmingStops,
} from "../../enums.ts";
import { contentItems } from "../courses/content-items.ts";
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
} from "../platform/columns.ts";
import { prompts } from "./prompts.ts";

/**
 * A job that generates a topic's answers before class. Any process may take it up and holds its lease while
 * working. It has no owner; the audit log has the requester.
 */
export const warmings = pgTable(
  "warmings",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** The key of the generated nodes: a prompt change after the estimate cancels the job. */
    prompt_id: reference(() => prompts.id, "cascade").notNull(),
    prompt_name: varchar({ length: 255 }).notNull(),
    prompt_version: integer().notNull(),
    model: varchar({ length: 255 }).notNull(),
    prompt_fingerprint: varchar({ length: 64 }).notNull(),
    content_fingerprint: varchar({ length: 64 }).notNull(),
    /** Whether large levels are sent as batches. */
    by_batch: boolean().notNull().default(true),
    most_nodes: integer().notNull(),
    estimated_input_tokens: bigint({ mode: "number" }).notNull().default(0),
    estimated_output_tokens: bigint({ mode: "number" }).notNull().default(0),
    /** Estimated tokens of batches, included above. */
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

/** The answers of a warming by the messages that lead to them; levels are generated in order. */
export const warmingNodes = pgTable(
  "warming_nodes",
  {
    id: bigId(),
    warming_id: bigReference(() => warmings.id, "cascade").notNull(),
    /** The normalized messages from the root including its own, as many as its level. */
    path: json<string[]>().notNull(),
    level: integer().notNull(),
    expected_visits: bigint({ mode: "number" }).notNull(),
    /** Its batch, which may have ended without an answer, and its running call. */
    batch_id: bigReferenceId(),
    call_id: bigReferenceId(),
    state: lowerEnum<WarmingNodeState>().notNull().default("waiting"),
  },
  (table) => [index().on(table.warming_id, table.id), oneOf(table.state, warmingNodeStates)],
);
