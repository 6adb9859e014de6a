import { sql } from "drizzle-orm";
import { boolean, foreignKey, index, integer, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import {
  type ImportFormat,
  type ImportKind,
  type ImportOutcome,
  importFormats,
  importKinds,
  importOutcomes,
} from "../../enums.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  id,
  instant,
  json,
  jsonObject,
  lowerEnum,
  oneOf,
  reference,
  upperEnum,
} from "../platform/columns.ts";

/**
 * An import of people, roles and enrollments into a university. Rows are processed in batches, each in a
 * transaction (schema/functions/integrations/imports.sql). Any worker can continue after a crash.
 */
export const imports = pgTable(
  "imports",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    /** The person in whose name it runs; null after account deletion, which stops it. */
    created_by_user_id: reference(() => users.id, "set null"),
    format: upperEnum<ImportFormat>().notNull(),
    is_dry_run: boolean().notNull(),
    /** Whether it ignores enrollment windows, prerequisites and capacity. */
    overrides: boolean().notNull(),
    total: integer().notNull(),
    created: integer().notNull().default(0),
    updated: integer().notNull().default(0),
    unchanged: integer().notNull().default(0),
    offered: integer().notNull().default(0),
    refused: integer().notNull().default(0),
    /** The encoding of each file. */
    read_as: json<{ file: string; encoding: string }[]>().notNull().default([]),
    /** Files and columns that were not imported. */
    ignored: json<{ file: string; column: string | null; rows: number | null }[]>().notNull().default([]),
    created_at: instant().notNull(),
    ended_at: instant(),
  },
  (table) => [
    index().on(table.university_id, table.id),
    index().on(table.created_by_user_id),
    index("imports_unfinished_index").on(table.id).where(sql`ended_at is null`),
    index().on(table.ended_at),
    oneOf(table.format, importFormats),
  ],
);

/** A row of an imported file, in processing order, with its result. */
export const importRows = pgTable(
  "import_rows",
  {
    id: bigId(),
    import_id: reference(() => imports.id, "cascade").notNull(),
    kind: lowerEnum<ImportKind>().notNull(),
    file: varchar({ length: 64 }).notNull(),
    line: integer().notNull(),
    /** The source's id of the person, or of the offering. */
    sourced_id: varchar({ length: 255 }),
    email: varchar({ length: 255 }),
    /** Whether the row removes its subject. */
    is_deletion: boolean().notNull(),
    /** Other fields, by kind. */
    details: jsonObject().notNull(),
    /** Null until it was processed. */
    outcome: upperEnum<ImportOutcome>(),
    reason: text(),
    user_id: reference(() => users.id, "cascade"),
  },
  (table) => [
    index("import_rows_waiting_index").on(table.import_id, table.id).where(sql`outcome is null`),
    index().on(table.import_id, table.outcome, table.id),
    index().on(table.import_id, table.sourced_id),
    index().on(table.email),
    index().on(table.user_id),
    oneOf(table.kind, importKinds),
    oneOf(table.outcome, importOutcomes),
  ],
);

/**
 * Ids of people in a university's own system: imports match by any of them, whatever the current address. The
 * newest is the person's external id in responses.
 */
export const sourcedPeople = pgTable(
  "sourced_people",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    sourced_id: varchar({ length: 255 }).notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
  },
  (table) => [
    unique().on(table.university_id, table.sourced_id),
    index().on(table.user_id, table.university_id, table.id),
  ],
);

/** The same for offerings, called classes there. */
export const sourcedOfferings = pgTable(
  "sourced_offerings",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    sourced_id: varchar({ length: 255 }).notNull(),
    course_offering_id: integer().notNull(),
    /** The source's id of the course, for later files without it. */
    course_sourced_id: varchar({ length: 255 }),
  },
  (table) => [
    unique().on(table.university_id, table.sourced_id),
    foreignKey({
      name: "sourced_offerings_course_offering_id_fk",
      columns: [table.course_offering_id, table.university_id],
      foreignColumns: [courseOfferings.id, courseOfferings.university_id],
    }).onDelete("cascade"),
    index().on(table.course_offering_id),
    index().on(table.university_id, table.course_sourced_id),
  ],
);
