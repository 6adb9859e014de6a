import { sql } from "drizzle-orm";
import {
  boolean,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  varchar,
} from "drizzle-orm/pg-core";
import {
  type CartridgeOutcome,
  type CartridgePartKind,
  cartridgeOutcomes,
  cartridgePartKinds,
} from "../enums.ts";
import { bigId, bigReference, id, instant, jsonObject, oneOf, reference, upperEnum } from "./columns.ts";
import { courses } from "./courses.ts";
import { files } from "./files.ts";
import { modules } from "./modules.ts";
import { users } from "./users.ts";

/**
 * An import of a Common Cartridge into a course: how far it is. Its parts are listed first, and then worked one by one, each
 * in one transaction (schema/functions/cartridges.sql), by whoever comes: a process that ends half-way leaves the rest.
 */
export const cartridgeImports = pgTable(
  "cartridge_imports",
  {
    id: id(),
    university_id: integer().notNull(),
    course_id: integer().notNull(),
    /** In whose name it is done; null for someone whose account is gone: then nothing more is. */
    created_by_user_id: reference(() => users.id, "set null"),
    file_id: bigReference(() => files.id, "set null"),
    is_dry_run: boolean().notNull(),
    /** Of the cartridge: null until its manifest was read. */
    cartridge_version: varchar({ length: 20 }),
    title: varchar({ length: 255 }),
    /** When its parts were listed. */
    listed_at: instant(),
    /** Why nothing can be made of the whole, or no more. */
    failure: text(),
    /** A worker that dies holds it until then. */
    leased_until: instant(),
    tries: integer().notNull().default(0),
    created_at: instant().notNull(),
    ended_at: instant(),
  },
  (table) => [
    foreignKey({
      name: "cartridge_imports_course_id_courses_id_fk",
      columns: [table.course_id, table.university_id],
      foreignColumns: [courses.id, courses.university_id],
    }).onDelete("cascade"),
    index().on(table.course_id, table.id),
    index().on(table.created_by_user_id),
    index().on(table.file_id),
    index("cartridge_imports_unfinished_index").on(table.id).where(sql`ended_at is null`),
    index().on(table.ended_at),
  ],
);

/** A part of a cartridge, in the order in which they are worked, and what became of it. */
export const cartridgeParts = pgTable(
  "cartridge_parts",
  {
    id: bigId(),
    import_id: reference(() => cartridgeImports.id, "cascade").notNull(),
    /** From 0, as the outline has them; then what no outline names. */
    number: integer().notNull(),
    /** The module that it goes into, by its number; null for the top of the course. */
    parent_number: integer(),
    kind: upperEnum<CartridgePartKind>().notNull(),
    identifier: text().notNull(),
    title: varchar({ length: 255 }).notNull(),
    /** Where its content is, in the archive. */
    details: jsonObject().notNull(),
    /** Whether it is worked behind all others: what the others do without is left out then. */
    is_last: boolean().notNull(),
    /** Null until it was worked. */
    outcome: upperEnum<CartridgeOutcome>(),
    reason: text(),
    /** What it became, by the names of content types, `module` or `question_pool`. */
    became: text().array().notNull().default([]),
    /** What of it nothing has. */
    left_out: text().array().notNull().default([]),
    tries: integer().notNull().default(0),
    /** The module that was made of it. */
    module_id: reference(() => modules.id, "set null"),
    /** The items that were made of it, which may be gone by now. */
    content_item_ids: integer().array().notNull().default([]),
  },
  (table) => [
    unique().on(table.import_id, table.number),
    index("cartridge_parts_waiting_index")
      .on(table.import_id, table.is_last, table.number)
      .where(sql`outcome is null`),
    index().on(table.module_id),
    oneOf(table.kind, cartridgePartKinds),
    oneOf(table.outcome, cartridgeOutcomes),
  ],
);

/** The files that an import has taken out of its archive, by their paths there: each is taken once. */
export const cartridgeFiles = pgTable(
  "cartridge_files",
  {
    import_id: reference(() => cartridgeImports.id, "cascade").notNull(),
    path: text().notNull(),
    file_id: bigReference(() => files.id, "cascade").notNull(),
  },
  (table) => [primaryKey({ columns: [table.import_id, table.path] }), index().on(table.file_id)],
);
