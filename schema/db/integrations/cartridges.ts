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
} from "../../enums.ts";
import { courses } from "../courses/courses.ts";
import { modules } from "../courses/modules.ts";
import { files } from "../files/files.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  bigReference,
  id,
  instant,
  jsonObject,
  oneOf,
  reference,
  upperEnum,
} from "../platform/columns.ts";

/**
 * An import of a Common Cartridge into a course. Its parts are listed first, then processed one by one, each
 * in a transaction (schema/functions/integrations/cartridges.sql). Any worker can continue after a crash.
 */
export const cartridgeImports = pgTable(
  "cartridge_imports",
  {
    id: id(),
    university_id: integer().notNull(),
    course_id: integer().notNull(),
    /** The person in whose name it runs; null after account deletion, which stops it. */
    created_by_user_id: reference(() => users.id, "set null"),
    file_id: bigReference(() => files.id, "set null"),
    is_dry_run: boolean().notNull(),
    /** Null until the manifest was read. */
    cartridge_version: varchar({ length: 20 }),
    title: varchar({ length: 255 }),
    listed_at: instant(),
    /** Why the import as a whole failed. */
    failure: text(),
    /** The worker's lease; another worker takes over after it expires. */
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

/** A part of a cartridge, in processing order, with its result. */
export const cartridgeParts = pgTable(
  "cartridge_parts",
  {
    id: bigId(),
    import_id: reference(() => cartridgeImports.id, "cascade").notNull(),
    /** From 0: outline order, then parts outside of the outline. */
    number: integer().notNull(),
    /** The number of its module; null for the top of the course. */
    parent_number: integer(),
    kind: upperEnum<CartridgePartKind>().notNull(),
    identifier: text().notNull(),
    title: varchar({ length: 255 }).notNull(),
    /** Its location in the archive. */
    details: jsonObject().notNull(),
    /** Whether it is processed after all others, and skipped if they do not need it. */
    is_last: boolean().notNull(),
    /** Null until it was processed. */
    outcome: upperEnum<CartridgeOutcome>(),
    reason: text(),
    /** The created content types, `module` or `question_pool`. */
    became: text().array().notNull().default([]),
    /** Content that could not be imported. */
    left_out: text().array().notNull().default([]),
    tries: integer().notNull().default(0),
    module_id: reference(() => modules.id, "set null"),
    /** The items created from it, which may be deleted. */
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

/** Files extracted from an import's archive by path; each is extracted once. */
export const cartridgeFiles = pgTable(
  "cartridge_files",
  {
    import_id: reference(() => cartridgeImports.id, "cascade").notNull(),
    path: text().notNull(),
    file_id: bigReference(() => files.id, "cascade").notNull(),
  },
  (table) => [primaryKey({ columns: [table.import_id, table.path] }), index().on(table.file_id)],
);
