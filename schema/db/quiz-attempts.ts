import { boolean, index, integer, pgTable, unique } from "drizzle-orm/pg-core";
import { decimal, id, instant, jsonObject, now, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** One try at a quiz. Its questions, their order and its deadline are fixed when it starts. */
export const quizAttempts = pgTable(
  "quiz_attempts",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    attempt_number: integer().notNull().default(1),
    question_ids: integer().array().notNull().default([]),
    started_at: instant().notNull().default(now),
    /** Null without a time limit. */
    due_at: instant(),
    submitted_at: instant(),
    score_obtained: decimal(6, 2),
    max_score: decimal(6, 2),
    passed: boolean(),
    raw_response_json: jsonObject(),
  },
  (table) => [
    // Two attempts that start at once cannot both be the last one allowed.
    unique("quiz_attempts_attempt_number_unique").on(
      table.user_id,
      table.course_offering_id,
      table.content_item_id,
      table.attempt_number,
    ),
    index().on(table.course_offering_id, table.id),
    index().on(table.content_item_id),
    index("quiz_attempts_results_index").on(
      table.submitted_at,
      table.passed,
      table.score_obtained,
      table.max_score,
    ),
  ],
);
