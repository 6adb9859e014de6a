import { sql } from "drizzle-orm";
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { type QuestionKind, type QuestionScoring, questionKinds, questionScorings } from "../../enums.ts";
import { courses } from "../courses/courses.ts";
import { universities } from "../identity/universities.ts";
import {
  decimal,
  id,
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

export const questionPools = pgTable(
  "question_pools",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    course_id: integer(),
    title: text().notNull(),
    description: text(),
    search_text: text().generatedAlwaysAs(sql`searched(title)`),
    ...timestamps(),
  },
  (table) => [
    foreignKey({
      name: "question_pools_course_id_courses_id_fk",
      columns: [table.course_id, table.university_id],
      foreignColumns: [courses.id, courses.university_id],
    }).onDelete("cascade"),
    index().on(table.course_id, table.id),
    index().on(table.university_id, table.id),
    index("question_pools_search_index").using("gin", sql`${table.search_text} gin_trgm_ops`),
    index().on(table.search_text, table.id),
    index().on(table.university_id, table.search_text, table.id),
  ],
);

export type QuestionOption = { id: string; text: string };

/** The correct answer; the question's kind determines the key. */
export type AnswerKey = {
  option_id?: string;
  option_ids?: string[];
  value?: boolean | number;
  tolerance?: number;
  texts?: string[];
};

/** A question with its answer, which learners see only when released. */
const asked = () => ({
  kind: upperEnum<QuestionKind>().notNull(),
  question_text: text().notNull(),
  /** Null for kinds without options. */
  options_json: json<QuestionOption[]>(),
  answer_json: jsonObject<AnswerKey>().notNull(),
  explanation: text(),
  points: decimal(6, 2).notNull().default(1),
  /** `partial` only for kinds with several correct options. */
  scoring: lowerEnum<QuestionScoring>().notNull().default("all_or_nothing"),
});

export const questions = pgTable(
  "questions",
  {
    id: id(),
    question_pool_id: reference(() => questionPools.id, "cascade").notNull(),
    ...asked(),
    /** Incremented by the database on each change of content. */
    version: integer().notNull().default(1),
    is_active: boolean().notNull().default(true),
    search_text: text().generatedAlwaysAs(sql`searched(question_text)`),
    ...timestamps(),
  },
  (table) => [
    index().on(table.question_pool_id, table.id),
    /** Finds equal questions, such as copies. */
    index("questions_text_index").on(sql`md5(${table.question_text})`),
    index("questions_search_index").using("gin", sql`${table.search_text} gin_trgm_ops`),
    oneOf(table.kind, questionKinds),
    oneOf(table.scoring, questionScorings),
  ],
);

/** All versions of a question, including the current one. Inserted by the database, never changed. */
export const questionVersions = pgTable(
  "question_versions",
  {
    question_id: reference(() => questions.id, "cascade").notNull(),
    version: integer().notNull(),
    ...asked(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    primaryKey({ columns: [table.question_id, table.version] }),
    oneOf(table.kind, questionKinds),
    oneOf(table.scoring, questionScorings),
  ],
);
