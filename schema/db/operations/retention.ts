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
import { type RetentionKind, retentionKinds } from "../../enums.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { storedObjects } from "../files/files.ts";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
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
} from "../platform/columns.ts";

/** A university's retention policy; locked by deletions, holds and changes of settings. */
export const retentionPolicies = pgTable("retention_policies", {
  university_id: reference(() => universities.id, "cascade").primaryKey(),
  /** Days that archives of deleted data are kept; 0 for none. */
  archive_days: integer().notNull(),
  /** The last deleted event in feed order, to tell cursors about gaps; null for none. */
  forgotten_change: bigReferenceId(),
  forgotten_event: bigReferenceId(),
});

/** A foreign key to the policy, with a name below PostgreSQL's limit. */
const ofPolicy = (name: string, university: PgColumn) =>
  foreignKey({ name, columns: [university], foreignColumns: [retentionPolicies.university_id] }).onDelete(
    "cascade",
  );

/** Retention of a kind in days after its term; no row means for ever. */
export const retentionPeriods = pgTable(
  "retention_periods",
  {
    university_id: integer().notNull(),
    kind: lowerEnum<RetentionKind>().notNull(),
    days: integer().notNull(),
    /** When it was set or shortened; nothing is deleted for a month after that. */
    set_at: instant().notNull(),
    /** When its dry run was read; nothing is deleted before. */
    counted_at: instant(),
  },
  (table) => [
    ofPolicy("retention_periods_policy_fk", table.university_id),
    primaryKey({ columns: [table.university_id, table.kind] }),
    oneOf(table.kind, retentionKinds),
    check("retention_periods_days_check", sql`${table.days} between 1 and 36500`),
  ],
);

/** Protects a person or offering from deletion, whatever the periods. */
export const retentionHolds = pgTable(
  "retention_holds",
  {
    id: id(),
    university_id: integer().notNull(),
    user_id: reference(() => users.id, "cascade"),
    course_offering_id: reference(() => courseOfferings.id, "cascade"),
    reason: text().notNull(),
    /** The last day in the university's time zone; null until released. */
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

/** A retention run of a university, with its results and progress. */
export const retentionRuns = pgTable(
  "retention_runs",
  {
    id: id(),
    university_id: integer().notNull(),
    begun_at: instant().notNull(),
    ended_at: instant(),
    forgotten: jsonObject<Partial<Record<RetentionKind, number>>>().notNull().default({}),
    /** The part being processed and its last row, where the next worker continues. */
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

/** An archive of deleted rows as JSON lines in the file store: ids, times, kinds and amounts. */
export const retentionArchives = pgTable(
  "retention_archives",
  {
    id: id(),
    university_id: integer().notNull(),
    run_id: reference(() => retentionRuns.id, "cascade").notNull(),
    kind: lowerEnum<RetentionKind>().notNull(),
    rows: integer().notNull(),
    object_id: bigReference(() => storedObjects.id, "restrict").notNull(),
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
