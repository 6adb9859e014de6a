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
import { type AnswerCheck, type TreeChangeAction, treeChangeActions } from "../../enums.ts";
import type { Question, QuestionKey } from "../../question.ts";
import { contentItems } from "../courses/content-items.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  bigReference,
  bigReferenceId,
  instant,
  json,
  lowerEnum,
  nodeKey,
  now,
  oneOf,
  reference,
  rowVersion,
} from "../platform/columns.ts";

/** A check that an answer failed, with the reason. */
export type FailedCheck = { check: AnswerCheck; reason: string };

/**
 * A stored answer in the tree of shared answers. A root answers `Start.`; a child answers a message after its
 * parent. Everything that shapes an answer is part of the key: a change is a cache miss.
 */
export const cacheNodes = pgTable(
  "cache_nodes",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    parent_id: bigReference((): AnyPgColumn => cacheNodes.id, "cascade"),
    /** In its normal form. */
    message: text().notNull(),
    prompt_name: varchar({ length: 255 }).notNull(),
    prompt_version: integer().notNull(),
    model: varchar({ length: 255 }).notNull(),
    prompt_fingerprint: varchar({ length: 64 }).notNull(),
    /** Of the prompt's context from the topic: `effective_content_fingerprint` (cache-node-keys.sql). */
    content_fingerprint: varchar({ length: 64 }).notNull(),
    /** The address: a hash of the eight columns above (cache-node-keys.sql). */
    node_key: nodeKey().notNull(),
    /** The source node of an answer that a copied item took over. It may be deleted. */
    origin_node_id: bigReferenceId(),
    /** The answer, cut where the provider cut it; never empty. */
    chunks: json<string[]>().notNull(),
    /** The text in one piece, joined once and not for each learner. */
    answer: text().notNull().generatedAlwaysAs(sql`joined_text(chunks)`),
    /** The multiple-choice question that the answer ends with, and what a learner may say to it; null for none. */
    question: json<Question>(),
    /**
     * Maps each possible answer, in its normal form, to the message under which the tree stores the reply.
     */
    choices: json<Record<string, string>>(),
    /** Which option is right: for the tutor, for staff, and for what is counted of answers. */
    question_key: json<QuestionKey>(),
    input_tokens: integer(),
    output_tokens: integer(),
    /** Visits counted so far, and the cache hits among them; add `cache_visits`. */
    visit_count: bigint({ mode: "number" }).notNull().default(0),
    hit_count: bigint({ mode: "number" }).notNull().default(0),
    last_used_at: instant().notNull().default(now),
    created_at: instant().notNull().default(now),
    /** The person who replaced the LLM's answer, and when. */
    edited_by: reference(() => users.id, "set null"),
    edited_at: instant(),
    /** Created under staff review (`tutor_mode` of the item) and not approved: `waits_for_review`. */
    is_waiting: boolean().notNull().default(false),
    /** Whether it was made before a class came (warmings.sql), by a call that no learner's message asked for. */
    warmed: boolean().notNull().default(false),
    /** Whether what followed from the former text was kept when it was replaced. */
    children_kept: boolean().notNull().default(false),
    /** Counts what staff do to it. */
    version: rowVersion(),
  },
  (table) => [
    check("cache_nodes_chunks_check", sql`${table.chunks} <> '[]'`),
    index().on(table.edited_by),
    uniqueIndex("cache_nodes_key").on(table.node_key),
    // The roots of a topic, under all keys.
    index("cache_nodes_roots").on(table.content_item_id).where(sql`parent_id is null`),
    // The tree of a topic, page by page.
    index().on(table.content_item_id, table.id),
    index().on(table.parent_id),
    index().on(table.last_used_at),
  ],
);

/**
 * Visits of sessions to a node, one row each: a cache hit, or the answer was streamed. Append-only, so visits
 * do not block each other; pruning adds them to their node.
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

/** An answer on a shared path that failed a check, and the next call's answer, for staff. Kept for 30 days. */
export const failedAnswers = pgTable(
  "failed_answers",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** The place of the answer: its parent node, null at the root, and the message in its normal form. */
    parent_id: bigReference(() => cacheNodes.id, "cascade"),
    message: text().notNull(),
    prompt_name: varchar({ length: 255 }).notNull(),
    prompt_version: integer().notNull(),
    model: varchar({ length: 255 }).notNull(),
    /** The node, if the second answer passed. */
    node_id: bigReference(() => cacheNodes.id, "set null"),
    answer: text().notNull(),
    failed: json<FailedCheck[]>().notNull(),
    /** Null if there was no second call, or if it gave no text. */
    second_answer: text(),
    second_failed: json<FailedCheck[]>(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    index().on(table.content_item_id, table.created_at),
    index().on(table.parent_id),
    index().on(table.node_id),
  ],
);

/**
 * Staff edits of answers, kept for good. They apply wherever a prompt, a text or a copy leads to the same
 * messages and question.
 */
export const answerPins = pgTable(
  "answer_pins",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** The messages from the root, in their normal form, and the SHA-256 of that list. */
    path: json<string[]>().notNull(),
    path_hash: varchar({ length: 64 }).notNull(),
    /** The question that the last of them answers, null for none, and its `question_identity` (cache-node-keys.sql). */
    asked: json<Question>(),
    asked_hash: varchar({ length: 64 }).notNull(),
    answer: text().notNull(),
    /** The question in the text, as in a node. */
    question: json<Question>(),
    choices: json<Record<string, string>>(),
    question_key: json<QuestionKey>(),
    pinned_by: reference(() => users.id, "set null"),
    pinned_at: instant().notNull().default(now),
  },
  (table) => [
    uniqueIndex("answer_pins_key").on(table.content_item_id, table.path_hash, table.asked_hash),
    index().on(table.pinned_by),
  ],
);

/**
 * Staff changes of a topic's stored answers, newest last. Each can be undone until its node changes again.
 */
export const treeChanges = pgTable(
  "tree_changes",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    action: lowerEnum<TreeChangeAction>().notNull(),
    /** The node, which may be gone; the messages that lead to it, and the `question_identity` of what the last one answers. */
    node_id: bigReferenceId().notNull(),
    path: json<string[]>().notNull(),
    asked_hash: varchar({ length: 64 }).notNull(),
    /** The former node, its new text, and the former pin. */
    former: json<Record<string, unknown>>().notNull(),
    answer: text(),
    former_pin: json<Record<string, unknown>>(),
    /** The nodes that went with it, as they were; null once they are kept no longer. */
    removed: json<Record<string, unknown>[]>(),
    removed_count: integer().notNull().default(0),
    changed_by: reference(() => users.id, "set null"),
    changed_at: instant().notNull().default(now),
    undone_by: reference(() => users.id, "set null"),
    undone_at: instant(),
  },
  (table) => [
    index().on(table.content_item_id, table.id),
    index().on(table.node_id),
    index().on(table.changed_by),
    index().on(table.undone_by),
    index().on(table.changed_at).where(sql`${table.removed} is not null`),
    oneOf(table.action, treeChangeActions),
  ],
);
