import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  index,
  pgTable,
  text,
  uniqueIndex,
  uuid,
  varchar,
} from "drizzle-orm/pg-core";
import {
  type CacheState,
  cacheStates,
  type FeedbackRating,
  feedbackRatings,
  type MessageRole,
  messageRoles,
  type RolloutArm,
  rolloutArms,
} from "../enums.ts";
import type { Question, QuestionKey } from "../question.ts";
import { cacheNodes } from "./cache.ts";
import {
  bigId,
  bigReference,
  bigReferenceId,
  instant,
  json,
  jsonObject,
  lowerEnum,
  now,
  oneOf,
  reference,
  timestamps,
  upperEnum,
} from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { prompts } from "./prompts.ts";
import { promptRollouts } from "./rollouts.ts";
import { users } from "./users.ts";

/** A person's conversation with the tutor about one content item. */
export const chatSessions = pgTable(
  "chat_sessions",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    /**
     * The content item as it was when the conversation began; the fingerprints of what the tutor is told of it, and of
     * what stands around it.
     */
    content_context: jsonObject().notNull(),
    /** What the tutor is told beside it, and nobody reads: `tutor_context_of` (tutor-notes.sql), as it was then. */
    tutor_context: jsonObject(),
    item_fingerprint: varchar({ length: 64 }).notNull(),
    surroundings_fingerprint: varchar({ length: 64 }).notNull(),
    /** The version of the tutor's prompt that staff try in it; null: the one that teaches. It goes with that version. */
    prompt_id: reference(() => prompts.id, "cascade"),
    /** The rollout that ran for it when it began, and its arm in that: for as long as the rollout runs. */
    rollout_id: reference(() => promptRollouts.id, "set null"),
    rollout_arm: lowerEnum<RolloutArm>(),
    /** What its owner calls it. */
    title: varchar({ length: 255 }),
    /**
     * Of an aside: the conversation on whose path it begins, the last message of that path (none: it had none), and since
     * when another took its place. A conversation has one open aside at most.
     */
    aside_of_id: bigReference((): AnyPgColumn => chatSessions.id, "cascade"),
    path_end_id: bigReferenceId(),
    closed_at: instant(),
    share_enabled: boolean().notNull().default(false),
    share_token: varchar({ length: 64 }).unique(),
    /** The cursor in the tree of shared answers; null stands before the root. */
    cache_node_id: bigReference(() => cacheNodes.id, "set null"),
    cache_state: upperEnum<CacheState>().notNull().default(sql`'tracking'`),
    /**
     * The message that is being answered, the answer in the making that it waits for, since when, and the lease of
     * those who listen to its answer: whose it is, and until when without a sign of life from them.
     */
    answering_message_id: bigReferenceId(),
    answering_generation_id: bigReferenceId(),
    answering_since: instant(),
    answering_token: uuid(),
    answering_until: instant(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.user_id, table.created_at, table.id),
    // Conversations come in the order of their moments.
    index().using("brin", table.created_at).with({ autosummarize: true }),
    index().on(table.content_item_id),
    index().on(table.cache_node_id),
    index().on(table.prompt_id).where(sql`${table.prompt_id} is not null`),
    index().on(table.rollout_id, table.rollout_arm, table.id).where(sql`${table.rollout_id} is not null`),
    index().on(table.aside_of_id).where(sql`${table.aside_of_id} is not null`),
    uniqueIndex("chat_sessions_open_aside_key")
      .on(table.aside_of_id)
      .where(sql`${table.aside_of_id} is not null and ${table.closed_at} is null`),
    oneOf(table.cache_state, cacheStates),
    oneOf(table.rollout_arm, rolloutArms),
  ],
);

/** What was said. An assistant's message answers one message of the user, which is never answered twice. */
export const chatMessages = pgTable(
  "chat_messages",
  {
    id: bigId(),
    session_id: bigReference(() => chatSessions.id, "cascade").notNull(),
    role: lowerEnum<MessageRole>().notNull(),
    content: text().notNull(),
    meta: jsonObject().notNull().default({}),
    in_reply_to_id: bigReference((): AnyPgColumn => chatMessages.id, "cascade").unique(),
    /** Of an answer: whether it lies on a path that is shared, so that it was a hit or a miss of the tree. */
    on_shared_path: boolean().notNull().default(false),
    /** Of an answer: the node that held it then. Nothing keeps the node. */
    cache_node_id: bigReferenceId(),
    /** Of an answer: the question that it asks, which is answered also where its node is gone. */
    question: json<Question>(),
    /** Of an answer that no node holds: the key of its question, which the tutor's request alone reads. */
    question_key: json<QuestionKey>(),
    /** Of such a key's question: what may be said to it, as a node keeps that. */
    choices: json<Record<string, string>>(),
    /** Of a message: what its client calls it, so that one that is sent again is not said twice. */
    client_message_id: varchar({ length: 128 }),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    index().on(table.session_id, table.id),
    index().using("brin", table.created_at).with({ autosummarize: true }),
    uniqueIndex("chat_messages_client_message_id_key")
      .on(table.session_id, table.client_message_id)
      .where(sql`${table.client_message_id} is not null`),
    oneOf(table.role, messageRoles),
  ],
);

/** What a learner thinks of an answer, once for each; the node that held it is kept beside it for the course's staff. */
export const messageFeedback = pgTable(
  "message_feedback",
  {
    message_id: bigReference(() => chatMessages.id, "cascade").primaryKey(),
    node_id: bigReference(() => cacheNodes.id, "set null"),
    rating: lowerEnum<FeedbackRating>().notNull(),
    comment: text(),
    ...timestamps(),
  },
  (table) => [index().on(table.node_id), oneOf(table.rating, feedbackRatings)],
);
