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
import { type FilePurpose, type FileState, filePurposes, fileStates } from "../enums.ts";
import { bigId, bigReference, instant, now, oneOf, reference, upperEnum } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courses } from "./courses.ts";
import { labSubmissions } from "./lab-submissions.ts";
import { courseOfferings } from "./offerings.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/** Bytes in the file store, under a key to which no address to write was ever signed. Several files may have the same. */
export const storedObjects = pgTable(
  "stored_objects",
  {
    id: bigId(),
    university_id: reference(() => universities.id, "set null"),
    key: varchar({ length: 128 }).notNull().unique(),
    size: bigint({ mode: "number" }).notNull(),
    /** Of its bytes, in hexadecimal; null until the service has hashed them. */
    sha256: varchar({ length: 64 }),
    created_at: instant().notNull().default(now),
    /** Since when no file has these bytes; null while one does. */
    unused_since: instant(),
    /** From when on they are deleted: once it is set no file takes them up. */
    going_at: instant(),
    /** Of parts that were never put together: the store's own name for them. */
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

/** The text of a document that learners are shown, for the tutor of their item. */
export const fileTexts = pgTable(
  "file_texts",
  {
    object_id: bigReference(() => storedObjects.id, "cascade").primaryKey(),
    /** Null until it was read, and where nothing could be. */
    content: text(),
    /** How long it is, in UTF-16 as JavaScript counts; null like the content. */
    characters: integer(),
    read_at: instant(),
    /** A worker that dies holds it until then. */
    leased_until: instant(),
    tries: integer().notNull().default(0),
  },
  (table) => [index("file_texts_waiting_index").on(table.object_id).where(sql`read_at is null`)],
);

/** A file that a person sent: from the promise of its bytes on, and of erased graded work what it was. */
export const files = pgTable(
  "files",
  {
    id: bigId(),
    /** Null until the bytes were taken, and where they were refused or erased. */
    object_id: bigReference(() => storedObjects.id, "restrict"),
    purpose: upperEnum<FilePurpose>().notNull(),
    state: upperEnum<FileState>().notNull().default(sql`'pending'`),
    refusal: text(),
    /** Empty when it is erased. */
    name: varchar({ length: 255 }).notNull(),
    media_type: varchar({ length: 255 }).notNull(),
    size: bigint({ mode: "number" }).notNull(),
    sha256: varchar({ length: 64 }),
    /** What its uploader said that it would be. */
    promised_sha256: varchar({ length: 64 }),
    university_id: reference(() => universities.id, "cascade"),
    course_id: reference(() => courses.id, "set null"),
    course_offering_id: reference(() => courseOfferings.id, "set null"),
    content_item_id: reference(() => contentItems.id, "set null"),
    submission_id: bigReference(() => labSubmissions.id, "set null"),
    uploaded_by_user_id: reference(() => users.id, "set null"),
    /** Where its uploader was told to send it. */
    upload_key: varchar({ length: 128 }),
    /** Of one that is sent in parts: the store's own name for that. */
    multipart_id: text(),
    /** How many bytes each part has but the last; null for one that is sent whole. */
    part_size: bigint({ mode: "number" }),
    created_at: instant().notNull().default(now),
    completed_at: instant(),
    /** Since when it hangs on nothing; null while it hangs somewhere. */
    loose_since: instant().default(now),
    /** Until when one worker alone checks it, or waits before it is tried again. */
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

/** How many bytes a university has in the store, and has promised to it. */
export const fileUsage = pgTable("file_usage", {
  university_id: reference(() => universities.id, "cascade").primaryKey(),
  bytes: bigint({ mode: "number" }).notNull().default(0),
});

/** What a person has begun to send on a day of UTC. */
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
