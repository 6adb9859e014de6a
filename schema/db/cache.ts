import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import type { Question } from "../question.ts";
import { bigId, bigReference, instant, json, now, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { users } from "./users.ts";

/**
 * A stored answer in the tree of shared answers. A root answers `Start.`; a child answers what was said
 * after its parent. Whatever shapes an answer is part of the key, so that a change of it misses.
 */
export const cacheNodes = pgTable(
  "cache_nodes",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    parent_id: bigReference((): AnyPgColumn => cacheNodes.id, "cascade"),
    /** In its normal form, with its SHA-256 in hexadecimal. */
    message: text().notNull(),
    message_hash: varchar({ length: 64 }).notNull(),
    prompt_name: varchar({ length: 255 }).notNull(),
    prompt_version: integer().notNull(),
    model: varchar({ length: 255 }).notNull(),
    prompt_fingerprint: varchar({ length: 64 }).notNull(),
    content_fingerprint: varchar({ length: 64 }).notNull(),
    /** The answer, cut where the provider cut it; never empty. */
    chunks: json<string[]>().notNull(),
    /** The same in one piece, as every learner is told it: joined once, and not for each. */
    answer: text().notNull().generatedAlwaysAs(sql`joined_text(chunks)`),
    /** The multiple-choice question that the answer ends with, and what a learner may say to it; null for none. */
    question: json<Question>(),
    /** From each thing that may be said, in its normal form, to the message under which the tree keeps its answer. */
    choices: json<Record<string, string>>(),
    input_tokens: integer(),
    output_tokens: integer(),
    /** Visits counted so far, and those of them that found the answer stored; `cache_visits` come on top. */
    visit_count: bigint({ mode: "number" }).notNull().default(0),
    hit_count: bigint({ mode: "number" }).notNull().default(0),
    last_used_at: instant().notNull().default(now),
    created_at: instant().notNull().default(now),
    /** Who replaced the LLM's answer by a text of their own, and when. */
    edited_by: reference(() => users.id, "set null"),
    edited_at: instant(),
    /** Whether what followed from the former text was kept when it was replaced. */
    children_kept: boolean().notNull().default(false),
  },
  (table) => [
    check("cache_nodes_chunks_check", sql`${table.chunks} <> '[]'`),
    index().on(table.edited_by),
    // What nobody said before stands beside 0, so that an answer is found by equality alone, roots as all others: a
    // plan that is made once for all topics then reads one row, however large the topic's tree is.
    uniqueIndex("cache_nodes_key").on(
      table.content_item_id,
      sql`coalesce(parent_id, 0)`,
      table.message_hash,
      table.prompt_name,
      table.prompt_version,
      table.model,
      table.prompt_fingerprint,
      table.content_fingerprint,
    ),
    // The tree of a topic, page by page.
    index().on(table.content_item_id, table.id),
    index().on(table.parent_id),
    index().on(table.last_used_at),
    // Those whose choices are of an earlier way to make them, until the schedule was there: lib/chat/renew-choices.ts.
    index("cache_nodes_choices_index")
      .on(table.id)
      .where(sql`question is not null and (choices ->> 'version') is distinct from '2'`),
  ],
);

/**
 * Sessions that came to a node, each once for each time: with a hit they found the answer stored, else they heard it
 * as it was made. Only ever appended, so that no visit waits for another; the pruning adds them to their node.
 */
export const cacheVisits = pgTable(
  "cache_visits",
  {
    id: bigId(),
    node_id: bigReference(() => cacheNodes.id, "cascade").notNull(),
    hit: boolean().notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [index().on(table.node_id)],
);
