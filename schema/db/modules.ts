import { sql } from "drizzle-orm";
import {
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
import { type ModuleType, moduleTypes } from "../enums.ts";
import { id, instant, oneOf, reference, rowVersion, timestamps, upperEnum } from "./columns.ts";
import { courses } from "./courses.ts";
import { moduleTemplates } from "./module-templates.ts";

/**
 * A node of a course's syllabus tree; `depth` is its parent's plus 1, and 0 at the top.
 * Two siblings never share a `sequence_index`. That rule is deferrable (constraints.sql), so that it is
 * checked at the end of a statement: one update may renumber all siblings.
 */
export const modules = pgTable(
  "modules",
  {
    id: id(),
    course_id: reference(() => courses.id, "cascade").notNull(),
    parent_module_id: integer(),
    module_type: upperEnum<ModuleType>().notNull(),
    module_template_id: reference(() => moduleTemplates.id, "set null"),
    title: varchar({ length: 255 }).notNull(),
    description: text(),
    sequence_index: integer().notNull().default(1),
    depth: integer().notNull().default(0),
    is_published: boolean().notNull().default(false),
    /** Before it, what is in the module and below it is locked. */
    available_from: instant(),
    due_at: instant(),
    /** Modules of the same course that a person has to complete first; the database keeps them so. */
    requires_module_ids: integer().array().notNull().default([]),
    version: rowVersion(),
    ...timestamps(),
  },
  (table) => [
    unique("modules_sibling_order_unique")
      .on(table.course_id, table.parent_module_id, table.sequence_index)
      .nullsNotDistinct(),
    // The target of references that must stay within one course.
    unique().on(table.course_id, table.id),
    foreignKey({
      name: "modules_parent_module_id_modules_id_fk",
      columns: [table.parent_module_id, table.course_id],
      foreignColumns: [table.id, table.course_id],
    }).onDelete("cascade"),
    index().on(table.parent_module_id, table.sequence_index),
    // The top of a course's tree, however much is below it.
    index("modules_root_index")
      .on(table.course_id, table.sequence_index)
      .where(sql`${table.parent_module_id} is null`),
    // What is not published hides what is below it, and is little.
    index("modules_hidden_index").on(table.course_id).where(sql`not ${table.is_published}`),
    index().on(table.module_template_id),
    // As with items: few say when they are due.
    index("modules_due_index").on(table.due_at).where(sql`${table.due_at} is not null`),
    oneOf(table.module_type, moduleTypes),
    check("modules_sequence_index_check", sql`${table.sequence_index} >= 0`),
    check("modules_depth_check", sql`${table.depth} >= 0`),
    check("modules_depth_limit", sql`${table.depth} <= 32`),
    check("modules_due_at_check", sql`${table.due_at} > ${table.available_from}`),
    check("modules_not_own_parent", sql`${table.parent_module_id} <> ${table.id}`),
  ],
);
