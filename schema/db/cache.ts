import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
  varchar,
} from "drizzle-orm/pg-core";
import { bigId, id, instant, json, now, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { users } from "./users.ts";

/**
 * A stored answer in the tree of shared answers. A root answers `Start.`; a child answers what was said
 * after its parent. Whatever shapes an answer is part of the key, so that a change of it misses.
 */
export const cacheNodes = pgTable(
  "cache_nodes",
  {
    id: id(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    parent_id: reference((): AnyPgColumn => cacheNodes.id, "cascade"),
    /** In its normal form, with its SHA-256 in hexadecimal. */
    message: text().notNull(),
    message_hash: varchar({ length: 64 }).notNull(),
    prompt_name: varchar({ length: 255 }).notNull(),
    prompt_version: integer().notNull(),
    model: varchar({ length: 255 }).notNull(),
    prompt_fingerprint: varchar({ length: 64 }).notNull(),
    content_fingerprint: varchar({ length: 64 }).notNull(),
    /** The answer, cut where the provider cut it; null while it is being written. */
    chunks: json<string[]>(),
    /** The lease of whoever is writing the answer: until when, and whose it is. */
    filling_until: instant(),
    filling_token: uuid(),
    input_tokens: integer(),
    output_tokens: integer(),
    /** The hits counted so far; those in `cache_hits` come on top. */
    hit_count: bigint({ mode: "number" }).notNull().default(0),
    last_used_at: instant().notNull().default(now),
    created_at: instant().notNull().default(now),
    /** Who replaced the LLM's answer by a text of their own, and when. */
    edited_by: reference(() => users.id, "set null"),
    edited_at: instant(),
  },
  (table) => [
    check("cache_nodes_filling_check", sql`${table.chunks} is null or ${table.filling_token} is null`),
    index().on(table.edited_by),
    unique("cache_nodes_key")
      .on(
        table.content_item_id,
        table.parent_id,
        table.message_hash,
        table.prompt_name,
        table.prompt_version,
        table.model,
        table.prompt_fingerprint,
        table.content_fingerprint,
      )
      .nullsNotDistinct(),
    index().on(table.parent_id),
    index().on(table.last_used_at),
    // The few that are being written.
    index("cache_nodes_unfinished_index").on(table.filling_until).where(sql`${table.chunks} is null`),
  ],
);

/** Hits that are not yet added to their node: only ever appended, so that no hit waits for another. */
export const cacheHits = pgTable(
  "cache_hits",
  {
    id: bigId(),
    node_id: reference(() => cacheNodes.id, "cascade").notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [index().on(table.node_id)],
);

/**
 * The pieces of an answer that is being written, for those who wait for it: a row for each write of its holder.
 * `first_chunk` is the number of the row's first chunk. They are gone when the answer is whole, or given up.
 */
export const cacheFillChunks = pgTable(
  "cache_fill_chunks",
  {
    node_id: reference(() => cacheNodes.id, "cascade").notNull(),
    filling_token: uuid().notNull(),
    first_chunk: integer().notNull(),
    chunks: json<string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.node_id, table.filling_token, table.first_chunk] })],
);
