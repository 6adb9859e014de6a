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
import { type TutorMode, tutorModes } from "../../enums.ts";
import {
  id,
  instant,
  jsonObject,
  oneOf,
  reference,
  rowVersion,
  timestamps,
  upperEnum,
} from "../platform/columns.ts";
import { contentTypes } from "./content-types.ts";
import { courses } from "./courses.ts";
import { modules } from "./modules.ts";

/**
 * A piece of content in a module; module, course and university always agree. As for modules, the order is
 * unique at the end of each statement.
 */
export const contentItems = pgTable(
  "content_items",
  {
    id: id(),
    module_id: integer().notNull(),
    course_id: integer().notNull(),
    university_id: integer().notNull(),
    content_type_id: reference(() => contentTypes.id, "restrict").notNull(),
    title: varchar({ length: 255 }).notNull(),
    description: text(),
    sequence_index: integer().notNull().default(1),
    estimated_duration_seconds: integer(),
    /** The content type determines its shape. */
    data_json: jsonObject().notNull(),
    /** Appended to the tutor's prompt; hidden from learners. */
    tutor_line: text(),
    tutor_mode: upperEnum<TutorMode>().notNull().default(sql`'immediate'`),
    is_active: boolean().notNull().default(true),
    available_from: instant(),
    due_at: instant(),
    /** The item that this one was copied from; its stored answers are reused. */
    origin_item_id: reference((): AnyPgColumn => contentItems.id, "set null"),
    version: rowVersion(),
    ...timestamps(),
  },
  (table) => [
    unique("content_items_order_unique").on(table.module_id, table.sequence_index),
    foreignKey({
      name: "content_items_module_id_modules_id_fk",
      columns: [table.module_id, table.course_id],
      foreignColumns: [modules.id, modules.course_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "content_items_course_id_courses_id_fk",
      columns: [table.course_id, table.university_id],
      foreignColumns: [courses.id, courses.university_id],
    }).onDelete("cascade"),
    index().on(table.course_id),
    index().on(table.content_type_id),
    index().on(table.origin_item_id),
    // Due dates are polled often, and few items have one.
    index("content_items_due_index").on(table.due_at).where(sql`${table.due_at} is not null`),
    // Finds items that use a pool, such as quizzes.
    index("content_items_pool_index")
      .on(sql`pool_of_quiz(${table.data_json})`)
      .where(sql`pool_of_quiz(${table.data_json}) is not null`),
    // Pools of a university's exams: read on each tutor turn about a practice quiz.
    index("content_items_exams_index")
      .on(table.university_id, sql`pool_of_quiz(${table.data_json})`)
      .where(sql`${table.data_json} ->> 'quiz_mode' = 'exam'`),
    oneOf(table.tutor_mode, tutorModes),
    check("content_items_due_at_check", sql`${table.due_at} > ${table.available_from}`),
    check("content_items_sequence_index_check", sql`${table.sequence_index} >= 0`),
  ],
);
