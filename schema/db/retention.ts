import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  type PgColumn,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { type RetentionKind, retentionKinds } from "../enums.ts";
import {
  bigReference,
  bigReferenceId,
  calendarDate,
  id,
  instant,
  jsonObject,
  lowerEnum,
  now,
  oneOf,
  reference,
} from "./columns.ts";
import { storedObjects } from "./files.ts";
import { courseOfferings } from "./offerings.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/** That a university has said how long it keeps things: whoever forgets, holds or sets anything there has this row. */
export const retentionPolicies = pgTable("retention_policies", {
  university_id: reference(() => universities.id, "cascade").primaryKey(),
  /** For how many days the archive of what was forgotten is kept; 0: none is made. */
  archive_days: integer().notNull(),
  /** The last of the forgotten events in the order of the feed, by which cursors are told that something went; null: none. */
  forgotten_change: bigReferenceId(),
  forgotten_event: bigReferenceId(),
});

/** Of a university that has said something, under a name that PostgreSQL need not cut. */
const ofPolicy = (name: string, university: PgColumn) =>
  foreignKey({ name, columns: [university], foreignColumns: [retentionPolicies.university_id] }).onDelete(
    "cascade",
  );

/** How many days after its term a kind is forgotten; no row: never. */
export const retentionPeriods = pgTable(
  "retention_periods",
  {
    university_id: integer().notNull(),
    kind: lowerEnum<RetentionKind>().notNull(),
    days: integer().notNull(),
    /** When it was set, or made shorter: nothing is forgotten by it for a month. */
    set_at: instant().notNull(),
    /** When its dry run was read; null until then: nothing is forgotten before. */
    counted_at: instant(),
  },
  (table) => [
    ofPolicy("retention_periods_policy_fk", table.university_id),
    primaryKey({ columns: [table.university_id, table.kind] }),
    oneOf(table.kind, retentionKinds),
    check("retention_periods_days_check", sql`${table.days} between 1 and 36500`),
  ],
);

/** That nothing of a person, or of an offering, is forgotten, whatever the periods say. */
export const retentionHolds = pgTable(
  "retention_holds",
  {
    id: id(),
    university_id: integer().notNull(),
    user_id: reference(() => users.id, "cascade"),
    course_offering_id: reference(() => courseOfferings.id, "cascade"),
    reason: text().notNull(),
    /** The last day on which it holds, by the university's clock; null: until it is released. */
    held_until: calendarDate(),
    placed_by_user_id: reference(() => users.id, "set null"),
    placed_at: instant().notNull().default(now),
  },
  (table) => [
    ofPolicy("retention_holds_policy_fk", table.university_id),
    index().on(table.university_id, table.id),
    index().on(table.user_id),
    index().on(table.course_offering_id),
    index().on(table.placed_by_user_id),
    check("retention_holds_one_check", sql`num_nonnulls(${table.user_id}, ${table.course_offering_id}) = 1`),
  ],
);

/** A time at which a university's data were looked through: what went, and how far it has come. */
export const retentionRuns = pgTable(
  "retention_runs",
  {
    id: id(),
    university_id: integer().notNull(),
    begun_at: instant().notNull(),
    ended_at: instant(),
    /** How many went of each kind. */
    forgotten: jsonObject<Partial<Record<RetentionKind, number>>>().notNull().default({}),
    /** What is looked through, and behind which row of it: where whoever takes it up goes on. */
    part: varchar({ length: 64 }).notNull(),
    reached_container: bigReferenceId().notNull().default(0),
    reached_row: bigReferenceId().notNull().default(0),
  },
  (table) => [
    ofPolicy("retention_runs_policy_fk", table.university_id),
    index().on(table.university_id, table.id),
    uniqueIndex("retention_runs_open_unique").on(table.university_id).where(sql`${table.ended_at} is null`),
  ],
);

/** What was written down of forgotten rows, as lines of JSON in the file store: ids, times, kinds and amounts. */
export const retentionArchives = pgTable(
  "retention_archives",
  {
    id: id(),
    university_id: integer().notNull(),
    run_id: reference(() => retentionRuns.id, "cascade").notNull(),
    kind: lowerEnum<RetentionKind>().notNull(),
    rows: integer().notNull(),
    object_id: bigReference(() => storedObjects.id, "restrict").notNull(),
    /** When it goes itself. */
    ends_at: instant().notNull(),
  },
  (table) => [
    ofPolicy("retention_archives_policy_fk", table.university_id),
    index().on(table.university_id),
    index().on(table.run_id),
    index().on(table.object_id),
    index().on(table.ends_at),
    oneOf(table.kind, retentionKinds),
  ],
);
