import { boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { type QuestionKind, questionKinds } from "../enums.ts";
import { decimal, id, json, jsonObject, oneOf, reference, timestamps, upperEnum } from "./columns.ts";
import { courses } from "./courses.ts";

/** A course's stock of questions, from which quizzes draw. */
export const questionPools = pgTable(
  "question_pools",
  {
    id: id(),
    course_id: reference(() => courses.id, "cascade").notNull(),
    title: text().notNull(),
    description: text(),
    ...timestamps(),
  },
  (table) => [index().on(table.course_id, table.id)],
);

/** One choice of a question. */
export type QuestionOption = { id: string; text: string };

/**
 * A question of a pool, with its right answer, which students never see.
 * An answer is the chosen option's id, a list of them, a truth value, accepted texts, or a number with its tolerance.
 */
export const questions = pgTable(
  "questions",
  {
    id: id(),
    question_pool_id: reference(() => questionPools.id, "cascade").notNull(),
    kind: upperEnum<QuestionKind>().notNull(),
    question_text: text().notNull(),
    /** Null for questions that are answered without choosing. */
    options_json: json<QuestionOption[]>(),
    answer_json: jsonObject().notNull(),
    explanation: text(),
    points: decimal(6, 2).notNull().default(1),
    is_active: boolean().notNull().default(true),
    ...timestamps(),
  },
  (table) => [index().on(table.question_pool_id, table.id), oneOf(table.kind, questionKinds)],
);
