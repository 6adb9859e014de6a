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
import type { Question, QuestionKey } from "../question.ts";
import { bigId, bigReference, bigReferenceId, instant, json, now, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { users } from "./users.ts";

/**
 * A question of the tutor that was answered, with the key that it is marked by: of a node one, and of private answers one
 * for each option that was said to be right. What is answered to it is right where the key says so now.
 */
export const tutorQuestions = pgTable(
  "tutor_questions",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** `question_hash` (tutor-steps.sql): of its text and options. */
    question_hash: varchar({ length: 64 }).notNull(),
    /** The node that asks it, which may be gone; null for private answers. */
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
 * An answer of a person to a question with a key: practice, of which no grade and no completion knows. It is written while
 * someone waits for the tutor, so that it refers only to whom and what it goes with: the person and the question.
 */
export const tutorSteps = pgTable(
  "tutor_steps",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** The run that they learn in, which may be gone; null where they have none. */
    course_offering_id: integer(),
    /** The question's, and its hash: what tries are counted by. */
    content_item_id: integer().notNull(),
    question_id: bigReference(() => tutorQuestions.id, "cascade").notNull(),
    question_hash: varchar({ length: 64 }).notNull(),
    /** The message that asked, which may be gone: the same answer to it is no further step. */
    asked_message_id: bigReferenceId(),
    /** The id of the option. */
    choice: text().notNull(),
    /** Counts the person's answers to a question with this text and these options in the item, in any conversation. */
    try_number: integer().notNull(),
    /** How often they asked for help in place of an answer, since the question was asked. */
    hints: integer().notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    // Also of the same answer sent twice at once one is first, and the other finds it.
    uniqueIndex("tutor_steps_try_key").on(
      table.user_id,
      table.content_item_id,
      table.question_hash,
      table.try_number,
    ),
    index().on(table.question_id),
  ],
);

/** What is left of the steps of erased accounts: how often each choice was made, by nobody. */
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
