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
} from "../../enums.ts";
import type { Question, QuestionKey } from "../../question.ts";
import { contentItems } from "../courses/content-items.ts";
import { users } from "../identity/users.ts";
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
} from "../platform/columns.ts";
import { cacheNodes } from "./cache.ts";
import { prompts } from "./prompts.ts";
import { promptRollouts } from "./rollouts.ts";

/** A person's session with the tutor about a content item. */
export const chatSessions = pgTable(
  "chat_sessions",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    /**
     * The content item when the session began, with fingerprints of what the tutor reads of the item and its
     * surroundings.
     */
    content_context: jsonObject().notNull(),
    /**
     * The tutor's additional context at that time, hidden from readers: `tutor_contexts` (tutor-notes.sql).
     */
    tutor_context: jsonObject(),
    item_fingerprint: varchar({ length: 64 }).notNull(),
    surroundings_fingerprint: varchar({ length: 64 }).notNull(),
    /** The prompt version that staff try; null for the production version. Deleted with that version. */
    prompt_id: reference(() => prompts.id, "cascade"),
    /** The rollout and arm that the session joined when it began; null after the rollout ended. */
    rollout_id: reference(() => promptRollouts.id, "set null"),
    rollout_arm: lowerEnum<RolloutArm>(),
    title: varchar({ length: 255 }),
    /**
     * For an aside: its session, the last message of the session's path (null if empty), and when another
     * aside replaced it. A session has at most one open aside.
     */
    aside_of_id: bigReference((): AnyPgColumn => chatSessions.id, "cascade"),
    path_end_id: bigReferenceId(),
    closed_at: instant(),
    share_enabled: boolean().notNull().default(false),
    share_token: varchar({ length: 64 }).unique(),
    /** The cursor in the tree of shared answers; null at the root. */
    cache_node_id: bigReference(() => cacheNodes.id, "set null"),
    cache_state: upperEnum<CacheState>().notNull().default(sql`'tracking'`),
    /** The message being answered, its generation and start, and the lease of the subscribers with its expiry. */
    answering_message_id: bigReferenceId(),
    answering_generation_id: bigReferenceId(),
    answering_since: instant(),
    answering_token: uuid(),
    answering_until: instant(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.user_id, table.created_at, table.id),
    // Sessions are in order of time, so a BRIN index suffices.
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

/** A message. An assistant's message answers one message of the user, which has at most one answer. */
export const chatMessages = pgTable(
  "chat_messages",
  {
    id: bigId(),
    session_id: bigReference(() => chatSessions.id, "cascade").notNull(),
    role: lowerEnum<MessageRole>().notNull(),
    content: text().notNull(),
    meta: jsonObject().notNull().default({}),
    in_reply_to_id: bigReference((): AnyPgColumn => chatMessages.id, "cascade").unique(),
    /** For answers: whether it is on a shared path, so it was a cache hit or miss. */
    on_shared_path: boolean().notNull().default(false),
    /** For answers: its node at the time; no foreign key, so nodes can be deleted. */
    cache_node_id: bigReferenceId(),
    /** For answers: its question, which can be answered even after its node was deleted. */
    question: json<Question>(),
    /** For answers without a node: the key of its question, which only the tutor's request reads. */
    question_key: json<QuestionKey>(),
    /** For such a question: the possible answers, as nodes store them. */
    choices: json<Record<string, string>>(),
    /** The client's id of a message, which makes sending idempotent. */
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

/** A learner's rating of an answer, one each, with its node for the course's staff. */
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
