import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { type ScormVersion, scormVersions } from "../../enums.ts";
import { contentItems } from "../courses/content-items.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { files } from "../files/files.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  bigReference,
  decimal,
  instant,
  json,
  jsonObject,
  lowerEnum,
  now,
  oneOf,
  reference,
} from "../platform/columns.ts";

/** An item of a package's organization that can be launched. */
export type StoredSco = {
  id: string;
  title: string;
  /** The file, and the query and fragment behind it. */
  path: string;
  parameters: string;
  /** An asset has no runtime data. */
  is_sco: boolean;
  launch_data: string;
  /** From 0 to 1; null without a threshold. */
  passing_score: number | null;
  completion_threshold: number | null;
};

/** An activity of SCORM 2004 with its sequencing, as scorm-again's `ActivitySettings`. */
export type StoredActivity = {
  id: string;
  title: string;
  children?: StoredActivity[];
  [setting: string]: unknown;
};

/** A file of the package's archive: name, method, packed size, size, checksum, offset. */
export type StoredEntry = [string, number, number, number, number, number];

/** A file that was checked as a SCORM package. Its files are read from the archive. */
export const scormPackages = pgTable(
  "scorm_packages",
  {
    file_id: bigReference(() => files.id, "cascade").primaryKey(),
    version: lowerEnum<ScormVersion>().notNull(),
    title: varchar({ length: 255 }).notNull(),
    scos: json<StoredSco[]>().notNull(),
    /** Null if the items have no sequencing. */
    activity_tree: json<StoredActivity>(),
    entries: json<StoredEntry[]>().notNull(),
    checked_at: instant().notNull().default(now),
  },
  (table) => [oneOf(table.version, scormVersions)],
);

/** What a SCO last reported. */
export type StoredScoState = {
  /** The runtime data as sent, without the learner's name. */
  cmi: Record<string, unknown>;
  /** Of earlier sessions, and of the current one. */
  seconds: number;
  session_seconds: number;
  completed: boolean;
  passed: boolean | null;
  scaled: number | null;
};

/** What the player's sequencer needs to continue. */
export type StoredSequencing = {
  /** The item to launch. */
  next: string | null;
  state: string;
};

/**
 * A learner's attempt at a package. The last launch owns it: commits of earlier sessions are rejected. The
 * rules of lib/integrations/scorm/result.ts compute the result.
 */
export const scormAttempts = pgTable(
  "scorm_attempts",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    attempt_number: integer().notNull().default(1),
    started_at: instant().notNull().default(now),
    committed_at: instant(),
    session_id: text().notNull(),
    /** The number of the session's last commit. */
    sequence: integer().notNull().default(0),
    /** By the SCO's identifier. */
    scos: jsonObject<Record<string, StoredScoState>>().notNull().default({}),
    /** Null before the first commit, and without sequencing. */
    sequencing: json<StoredSequencing>(),
    /** When the item's completion rule was first met. */
    completed_at: instant(),
    passed: boolean(),
    /** The grade by the item's rule, from 0 to 1. */
    score_scaled: decimal(7, 6),
    total_seconds: integer().notNull().default(0),
    /** Number of changes of the score; part of the version of its gradebook cell. */
    grade_version: integer().notNull().default(0),
  },
  (table) => [
    unique("scorm_attempts_attempt_number_unique").on(
      table.user_id,
      table.course_offering_id,
      table.content_item_id,
      table.attempt_number,
    ),
    index().on(table.course_offering_id, table.content_item_id, table.id),
    index().on(table.content_item_id),
    check("scorm_attempts_score_check", sql`${table.score_scaled} between 0 and 1`),
  ],
);
