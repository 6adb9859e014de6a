import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { type FilePurpose, type FileState, filePurposes, fileStates } from "../../enums.ts";
import { labSubmissions } from "../assessment/lab-submissions.ts";
import { contentItems } from "../courses/content-items.ts";
import { courses } from "../courses/courses.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
import { bigId, bigReference, instant, now, oneOf, reference, upperEnum } from "../platform/columns.ts";

/**
 * An object in the file store, under a key that was never writable by a signed URL. Several files may share
 * it.
 */
export const storedObjects = pgTable(
  "stored_objects",
  {
    id: bigId(),
    university_id: reference(() => universities.id, "set null"),
    key: varchar({ length: 128 }).notNull().unique(),
    size: bigint({ mode: "number" }).notNull(),
    /** In hexadecimal; null until computed. */
    sha256: varchar({ length: 64 }),
    created_at: instant().notNull().default(now),
    /** When its last file was removed; null while in use. */
    unused_since: instant(),
    /** When it may be deleted; no file reuses it once this is set. */
    going_at: instant(),
    /** The store's id of an incomplete multipart upload. */
    multipart_id: text(),
  },
  (table) => [
    uniqueIndex("stored_objects_bytes_unique")
      .on(table.university_id, table.sha256)
      .where(sql`going_at is null`),
    index("stored_objects_unused_index").on(table.unused_since).where(sql`unused_since is not null`),
    index("stored_objects_going_index").on(table.going_at).where(sql`going_at is not null`),
    check("stored_objects_going_check", sql`${table.going_at} is null or ${table.unused_since} is not null`),
  ],
);

/** The text of a document that learners see, for the item's tutor. */
export const fileTexts = pgTable(
  "file_texts",
  {
    object_id: bigReference(() => storedObjects.id, "cascade").primaryKey(),
    /** Null until read, or if it cannot be read. */
    content: text(),
    /** Length in UTF-16 units as in JavaScript; null as the content is. */
    characters: integer(),
    read_at: instant(),
    /** The worker's lease; another worker takes over after it expires. */
    leased_until: instant(),
    tries: integer().notNull().default(0),
  },
  (table) => [index("file_texts_waiting_index").on(table.object_id).where(sql`read_at is null`)],
);

/** An uploaded file from its registration on; of erased graded work only the metadata. */
export const files = pgTable(
  "files",
  {
    id: bigId(),
    /** Null until the upload completed, and after a rejection or erasure. */
    object_id: bigReference(() => storedObjects.id, "restrict"),
    purpose: upperEnum<FilePurpose>().notNull(),
    state: upperEnum<FileState>().notNull().default(sql`'pending'`),
    refusal: text(),
    /** Empty after erasure. */
    name: varchar({ length: 255 }).notNull(),
    media_type: varchar({ length: 255 }).notNull(),
    size: bigint({ mode: "number" }).notNull(),
    sha256: varchar({ length: 64 }),
    /** Declared by the uploader. */
    promised_sha256: varchar({ length: 64 }),
    university_id: reference(() => universities.id, "cascade"),
    course_id: reference(() => courses.id, "set null"),
    course_offering_id: reference(() => courseOfferings.id, "set null"),
    content_item_id: reference(() => contentItems.id, "set null"),
    submission_id: bigReference(() => labSubmissions.id, "set null"),
    uploaded_by_user_id: reference(() => users.id, "set null"),
    /** The key that the uploader writes to. */
    upload_key: varchar({ length: 128 }),
    /** The store's id of a multipart upload. */
    multipart_id: text(),
    /** Size of each part except the last; null for a single upload. */
    part_size: bigint({ mode: "number" }),
    created_at: instant().notNull().default(now),
    completed_at: instant(),
    /** Since when it is unused; null while in use. */
    loose_since: instant().default(now),
    /** Lease of the checking worker, or time of the next attempt. */
    leased_until: instant(),
    tries: integer().notNull().default(0),
    erased_at: instant(),
  },
  (table) => [
    index().on(table.object_id),
    index().on(table.university_id, table.id),
    index().on(table.course_id),
    index().on(table.course_offering_id),
    index().on(table.content_item_id),
    index().on(table.submission_id),
    index().on(table.uploaded_by_user_id, table.id),
    index("files_pending_index").on(table.created_at).where(sql`state = 'pending'`),
    index("files_checking_index").on(table.id).where(sql`state = 'checking'`),
    index("files_loose_index").on(table.loose_since).where(sql`loose_since is not null`),
    oneOf(table.purpose, filePurposes),
    oneOf(table.state, fileStates),
    check(
      "files_bytes_check",
      sql`(${table.object_id} is not null) = (${table.state} in ('checking', 'ready') and ${table.erased_at} is null)`,
    ),
  ],
);

/** A university's bytes, stored and pending. */
export const fileUsage = pgTable("file_usage", {
  university_id: reference(() => universities.id, "cascade").primaryKey(),
  bytes: bigint({ mode: "number" }).notNull().default(0),
});

/** A person's uploads on a day in UTC. */
export const uploadDays = pgTable(
  "upload_days",
  {
    user_id: reference(() => users.id, "cascade").notNull(),
    day: date({ mode: "string" }).notNull(),
    files: integer().notNull().default(0),
    bytes: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.day] }), index().on(table.day)],
);
