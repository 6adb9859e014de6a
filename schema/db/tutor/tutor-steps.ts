import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import type { Question, QuestionKey } from "../../question.ts";
import { contentItems } from "../courses/content-items.ts";
import { users } from "../identity/users.ts";
import { bigId, bigReference, bigReferenceId, instant, json, now, reference } from "../platform/columns.ts";

/**
 * A question of the tutor that was answered, with its key: one per node, and for private answers one per
 * keyed option. The current key decides which answers are correct.
 */
export const tutorQuestions = pgTable(
  "tutor_questions",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** `question_hash` (answers-to-tutor-questions.sql) of text and options. */
    question_hash: varchar({ length: 64 }).notNull(),
    /** Its node, which may be deleted; null for private answers. */
    node_id: bigReferenceId(),
    question: json<Question>().notNull(),
    question_key: json<QuestionKey>().notNull(),
  },
  (table) => [
    uniqueIndex("tutor_questions_key").on(
      table.content_item_id,
      table.question_hash,
      sql`coalesce(node_id, 0)`,
      sql`(case when node_id is null then question_key ->> 'answer' else '' end)`,
    ),
    index().on(table.node_id).where(sql`${table.node_id} is not null`),
  ],
);

/**
 * A person's practice answer to a question with a key; it affects no grade or completion. Written while a
 * learner waits for the tutor, so it only has foreign keys to person and question, with which it is deleted.
 */
export const tutorSteps = pgTable(
  "tutor_steps",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** The person's offering, which may be deleted; null for none. */
    course_offering_id: integer(),
    /** The question's item and hash, by which tries are counted. */
    content_item_id: integer().notNull(),
    question_id: bigReference(() => tutorQuestions.id, "cascade").notNull(),
    question_hash: varchar({ length: 64 }).notNull(),
    /** The asking message, which may be deleted: repeating the same answer to it is not another step. */
    asked_message_id: bigReferenceId(),
    choice: text().notNull(),
    /** Counts the person's answers to this text and options in the item, in all sessions. */
    try_number: integer().notNull(),
    /** Number of hints requested since the question was asked. */
    hints: integer().notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    // Of identical concurrent answers the second finds the first.
    uniqueIndex("tutor_steps_try_key").on(
      table.user_id,
      table.content_item_id,
      table.question_hash,
      table.try_number,
    ),
    index().on(table.question_id),
  ],
);

/** Anonymous counts of choices by erased accounts. */
export const tutorStepCounts = pgTable(
  "tutor_step_counts",
  {
    question_id: bigReference(() => tutorQuestions.id, "cascade").notNull(),
    choice: text().notNull(),
    try_number: integer().notNull(),
    with_hints: boolean().notNull(),
    answers: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.question_id, table.choice, table.try_number, table.with_hints] })],
);
