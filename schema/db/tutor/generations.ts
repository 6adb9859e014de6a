import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
  varchar,
} from "drizzle-orm/pg-core";
import {
  type AnswerCheck,
  type AnswerStop,
  answerStops,
  type GenerationState,
  generationStates,
} from "../../enums.ts";
import type { Question, QuestionKey } from "../../question.ts";
import { contentItems } from "../courses/content-items.ts";
import {
  bigId,
  bigReference,
  bigReferenceId,
  instant,
  json,
  lowerEnum,
  machineNow,
  nodeKey,
  oneOf,
  reference,
} from "../platform/columns.ts";
import { cacheNodes } from "./cache.ts";
import { chatMessages } from "./chat.ts";

/**
 * A pending answer, not tied to a request: one producer writes it under a lease, all others listen. A class's
 * generation has the key of its future node; a private one has its question. Ended ones stay for ten minutes
 * for late listeners; every tenth that ends prunes some.
 */
export const generations = pgTable(
  "generations",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** For a private answer: its session, and the message that it answers. Deleted with them. */
    session_id: bigReferenceId(),
    question_id: bigReference(() => chatMessages.id, "cascade"),
    /** For a class's answer: the key of its node. Purging the path deletes it. */
    parent_id: bigReference(() => cacheNodes.id, "cascade"),
    message: text(),
    prompt_fingerprint: varchar({ length: 64 }).notNull(),
    content_fingerprint: varchar({ length: 64 }).notNull(),
    prompt_name: varchar({ length: 255 }).notNull(),
    prompt_version: integer().notNull(),
    model: varchar({ length: 255 }).notNull(),
    /** The address of that node; null for a private answer. */
    node_key: nodeKey(),
    state: lowerEnum<GenerationState>().notNull().default("writing"),
    /** Counts attempts: each starts over, and only the last one's pieces count. */
    attempt: integer().notNull().default(1),
    /** How often the LLM failed at it. */
    failures: integer().notNull().default(0),
    /**
     * The maker's lease. Its token fences every write; it lasts until `lease_until` without a sign of life, and never
     * beyond `maker_until`, the time limit of an answer.
     */
    token: uuid().notNull(),
    lease_until: instant().notNull(),
    maker_until: instant().notNull(),
    /** The move of its message, if it is one: `@hint` and others (tutor-moves.sql). */
    move: varchar({ length: 32 }),
    stop_requested: boolean().notNull().default(false),
    /** How it ended: the whole answer, the question that it asks, why the model stopped before its end, and the node that it became. */
    chunks: json<string[]>(),
    question: json<Question>(),
    question_key: json<QuestionKey>(),
    /** For an answer with a key: the possible answers to its question. */
    choices: json<Record<string, string>>(),
    stop: lowerEnum<AnswerStop>(),
    /** The checks that a complete answer failed; then it becomes no node. */
    checks: json<AnswerCheck[]>(),
    node_id: bigReference(() => cacheNodes.id, "set null"),
    input_tokens: integer(),
    output_tokens: integer(),
    /** The call of the LLM that makes it: a row of `llm_calls`. */
    call_id: bigint({ mode: "number" }),
    /** For a failed one: after how many seconds the LLM's provider allows a retry, if it said so. */
    retry_after: integer(),
    created_at: instant().notNull().default(machineNow),
  },
  (table) => [
    // One maker for each answer, across all processes.
    uniqueIndex("generations_class_key").on(table.node_key).where(sql`state = 'writing'`),
    uniqueIndex("generations_private_key").on(table.question_id).where(sql`state = 'writing'`),
    index().on(table.content_item_id),
    index().on(table.question_id),
    index().on(table.parent_id),
    index().on(table.node_id),
    index().on(table.created_at),
    oneOf(table.state, generationStates),
    oneOf(table.stop, answerStops),
    check(
      "generations_class_or_private",
      sql`case when question_id is null then session_id is null and message is not null
          else session_id is not null and parent_id is null and message is null end`,
    ),
    check("generations_chunks_check", sql`(state = 'complete') = (chunks is not null)`),
  ],
);

/**
 * The pieces of a pending answer's last attempt: one row per write of its producer. `first_chunk` is the
 * number of the row's first chunk. Deleted when the answer ends or starts over.
 */
export const generationPieces = pgTable(
  "generation_pieces",
  {
    generation_id: bigReference(() => generations.id, "cascade").notNull(),
    attempt: integer().notNull(),
    first_chunk: integer().notNull(),
    chunks: json<string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.generation_id, table.attempt, table.first_chunk] })],
);
