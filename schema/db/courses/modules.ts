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
import { type ModuleType, moduleTypes } from "../../enums.ts";
import { id, instant, oneOf, reference, rowVersion, timestamps, upperEnum } from "../platform/columns.ts";
import { courses } from "./courses.ts";
import { moduleTemplates } from "./module-templates.ts";

/**
 * A module in a course's tree; `depth` is the parent's plus 1, 0 at the top. Siblings have distinct
 * `sequence_index`. That constraint is deferrable (constraints.sql), checked at the end of a statement, so
 * one update can renumber all siblings.
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
    /** Locks the module and everything below it until then. */
    available_from: instant(),
    due_at: instant(),
    /** Modules of the same course to complete first, as the database ensures. */
    requires_module_ids: integer().array().notNull().default([]),
    version: rowVersion(),
    ...timestamps(),
  },
  (table) => [
    unique("modules_sibling_order_unique")
      .on(table.course_id, table.parent_module_id, table.sequence_index)
      .nullsNotDistinct(),
    // The target of foreign keys that must stay within one course.
    unique().on(table.course_id, table.id),
    foreignKey({
      name: "modules_parent_module_id_modules_id_fk",
      columns: [table.parent_module_id, table.course_id],
      foreignColumns: [table.id, table.course_id],
    }).onDelete("cascade"),
    index().on(table.parent_module_id, table.sequence_index),
    // The top level of a course's tree.
    index("modules_root_index")
      .on(table.course_id, table.sequence_index)
      .where(sql`${table.parent_module_id} is null`),
    // Unpublished modules hide their subtrees, and are few.
    index("modules_hidden_index").on(table.course_id).where(sql`not ${table.is_published}`),
    index().on(table.module_template_id),
    // As for items, few have due dates.
    index("modules_due_index").on(table.due_at).where(sql`${table.due_at} is not null`),
    oneOf(table.module_type, moduleTypes),
    check("modules_sequence_index_check", sql`${table.sequence_index} >= 0`),
    check("modules_depth_check", sql`${table.depth} >= 0`),
    check("modules_depth_limit", sql`${table.depth} <= 32`),
    check("modules_due_at_check", sql`${table.due_at} > ${table.available_from}`),
    check("modules_not_own_parent", sql`${table.parent_module_id} <> ${table.id}`),
  ],
);
