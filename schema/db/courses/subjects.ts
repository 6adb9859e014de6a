import { sql } from "drizzle-orm";
import { type AnyPgColumn, check, index, integer, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { id, reference, timestamps } from "../platform/columns.ts";
import { domains } from "./domains.ts";

/** A subject in a tree; `depth` is the parent's plus 1, 0 at the top. */
export const subjects = pgTable(
  "subjects",
  {
    id: id(),
    parent_subject_id: reference((): AnyPgColumn => subjects.id, "restrict"),
    domain_id: reference(() => domains.id, "restrict"),
    name: text().notNull(),
    code: varchar({ length: 128 }).notNull().unique(),
    description: text(),
    depth: integer().notNull().default(0),
    search_text: text().generatedAlwaysAs(sql`searched(name || ' ' || code)`),
    ...timestamps(),
  },
  (table) => [
    index().on(table.parent_subject_id, table.id),
    index().on(table.domain_id, table.id),
    check("subjects_depth_check", sql`${table.depth} >= 0`),
    check("subjects_not_own_parent", sql`${table.parent_subject_id} <> ${table.id}`),
  ],
);
