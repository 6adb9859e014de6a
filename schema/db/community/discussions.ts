import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  varchar,
} from "drizzle-orm/pg-core";
import { type ReportOutcome, reportOutcomes, type ThreadAudience, threadAudiences } from "../../enums.ts";
import { contentItems } from "../courses/content-items.ts";
import { modules } from "../courses/modules.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  bigReference,
  bigReferenceId,
  id,
  instant,
  json,
  now,
  oneOf,
  reference,
  searchWords,
  timestamps,
  upperEnum,
} from "../platform/columns.ts";
import { cacheNodes } from "../tutor/cache.ts";
import { chatSessions } from "../tutor/chat.ts";
import { courseReviews } from "./reviews.ts";

/** A thread of an offering's people, optionally about a module or content item. */
export const discussionThreads = pgTable(
  "discussion_threads",
  {
    id: id(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    module_id: reference(() => modules.id, "set null"),
    content_item_id: reference(() => contentItems.id, "set null"),
    /** Null after the person erased their account; the title is cleared too. */
    created_by_user_id: reference(() => users.id, "set null"),
    title: varchar({ length: 255 }),
    /**
     * The people who can read and find it and are notified; `staff` means its author and the offering's
     * staff.
     */
    /** The learner with whom staff have a private thread; null for other threads. */
    learner_user_id: reference(() => users.id, "set null"),
    visible: upperEnum<ThreadAudience>().notNull().default(sql`'class'`),
    created_at: instant().notNull().default(now),
    /** No more posts or edits. */
    is_locked: boolean().notNull().default(false),
    /** Sorted before other threads. */
    is_pinned: boolean().notNull().default(false),
    /** The post of this thread that is its answer. */
    answer_post_id: bigReferenceId(),
    /** Counts deleted posts too, which keep their positions. */
    post_count: integer().notNull().default(0),
    last_post_at: instant().notNull().default(now),
  },
  (table) => [
    // List order: `order by … desc` puts nulls first, and only an index with the same order can serve it.
    index("discussion_threads_order_index").on(
      table.course_offering_id,
      table.is_pinned.desc().nullsFirst(),
      table.last_post_at.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    foreignKey({
      name: "discussion_threads_answer_post_id_discussion_posts_id_fk",
      columns: [table.answer_post_id, table.id],
      foreignColumns: [discussionPosts.id, discussionPosts.thread_id],
    }).onDelete("restrict"),
    index().on(table.answer_post_id),
    index().on(table.module_id),
    index().on(table.content_item_id),
    index().on(table.created_by_user_id),
    index().on(table.learner_user_id).where(sql`${table.learner_user_id} is not null`),
    oneOf(table.visible, threadAudiences),
    check(
      "discussion_threads_learner_check",
      sql`${table.learner_user_id} is null or (${table.visible} = 'staff' and ${table.learner_user_id} <> ${table.created_by_user_id})`,
    ),
  ],
);

/** A message of a tutor session in an excerpt. */
export type ExcerptMessage = { id: number; role: "user" | "assistant"; content: string; created_at: string };

/** The excerpt of a tutor session that a learner handed over, above a thread. It outlives the session. */
export const tutorHandovers = pgTable(
  "tutor_handovers",
  {
    id: bigId(),
    thread_id: reference(() => discussionThreads.id, "cascade")
      .notNull()
      .unique(),
    user_id: reference(() => users.id, "cascade").notNull(),
    session_id: bigReference(() => chatSessions.id, "set null"),
    /** The stored answer at the excerpt's end, if any. */
    node_id: bigReference(() => cacheNodes.id, "set null"),
    /** Oldest first. */
    excerpt: json<ExcerptMessage[]>().notNull(),
  },
  (table) => [index().on(table.user_id), index().on(table.session_id), index().on(table.node_id)],
);

/** A post in a thread, optionally a reply to another of the same thread. A deleted post keeps its position. */
export const discussionPosts = pgTable(
  "discussion_posts",
  {
    id: bigId(),
    thread_id: reference((): AnyPgColumn => discussionThreads.id, "cascade").notNull(),
    parent_post_id: bigReferenceId(),
    /** 0, or the parent's depth plus 1. Set by the database. */
    depth: integer().notNull().default(0),
    /** Null after the person erased their account; the post is then deleted and empty. */
    user_id: reference(() => users.id, "set null"),
    body: text().notNull(),
    is_deleted: boolean().notNull().default(false),
    /** Hidden by staff from everyone except its author and staff. */
    is_hidden: boolean().notNull().default(false),
    /** Search vector in the course's language, set by the database. Not indexed, as for notes. */
    search: searchWords().notNull().default(sql`''::tsvector`),
    ...timestamps(),
  },
  (table) => [
    // Orders a thread, and is the target of the foreign key that keeps replies in it.
    unique().on(table.thread_id, table.id),
    foreignKey({
      name: "discussion_posts_parent_post_id_discussion_posts_id_fk",
      columns: [table.parent_post_id, table.thread_id],
      foreignColumns: [table.id, table.thread_id],
    }).onDelete("cascade"),
    check("discussion_posts_depth_check", sql`${table.depth} between 0 and 8`),
    index().on(table.parent_post_id),
    index().on(table.user_id),
  ],
);

/** A report of a post or review to an offering's staff, with the outcome. */
export const discussionReports = pgTable(
  "discussion_reports",
  {
    id: id(),
    post_id: bigReference(() => discussionPosts.id, "cascade"),
    review_id: bigReference(() => courseReviews.id, "cascade"),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    reason: text().notNull(),
    created_at: instant().notNull().default(now),
    outcome: upperEnum<ReportOutcome>(),
    resolved_at: instant(),
  },
  (table) => [
    unique().on(table.post_id, table.user_id),
    unique().on(table.review_id, table.user_id),
    check("discussion_reports_subject_check", sql`num_nonnulls(${table.post_id}, ${table.review_id}) = 1`),
    index().on(table.course_offering_id, table.outcome, table.created_at, table.id),
    index().on(table.user_id),
    oneOf(table.outcome, reportOutcomes),
  ],
);
