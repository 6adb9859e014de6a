import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  real,
  text,
  unique,
  varchar,
} from "drizzle-orm/pg-core";
import { contentItems } from "../courses/content-items.ts";
import { courses } from "../courses/courses.ts";
import { bigId, bigReference, instant, json, reference, searchWords } from "../platform/columns.ts";
import { chatMessages } from "./chat.ts";

/** A location in an item: a block of a page from 1, a video's time, or a file; none for the item's own text. */
export type Place = { block?: number; seconds?: number; file?: string };

/** An item's text in passages that can be found and cited; the database writes them with the item. */
export const passages = pgTable(
  "passages",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** Counted from 1 in reading order. */
    number: integer().notNull(),
    place: json<Place>().notNull(),
    body: text().notNull(),
    /** Search vector of the passage and its item's title in the course's language, with the number of words. */
    search: searchWords().notNull(),
    length: integer().notNull(),
  },
  (table) => [unique().on(table.content_item_id, table.number)],
);

/** Passages offered to the tutor for the answer to a person's message. */
export const messageSources = pgTable(
  "message_sources",
  {
    id: bigId(),
    question_id: bigReference(() => chatMessages.id, "cascade").notNull(),
    number: integer().notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    place: json<Place>().notNull(),
    /** Whether it was offered as possibly relevant only. */
    perhaps: boolean().notNull().default(true),
  },
  (table) => [
    unique().on(table.question_id, table.number),
    index().on(table.content_item_id),
    check("message_sources_number_check", sql`${table.number} > 0`),
  ],
);

/**
 * Retrieval quality of a course: for how many of its quiz questions a right passage is among the first five.
 * Measured by the schedule (`schema/functions/tutor/passage-retrieval-measurements.sql`).
 */
export const passageMeasures = pgTable(
  "passage_measures",
  {
    course_id: reference(() => courses.id, "cascade").primaryKey(),
    /** Number of questions, and of those with a right passage, in the last measurement. */
    asked: integer().notNull().default(0),
    found: integer().notNull().default(0),
    measured_at: instant(),
    /** When the schedule last checked for changes, and the state of passages and questions measured. */
    looked_at: instant().notNull(),
    hangs_on: text(),
    /** Progress of a running measurement: the last question and its interim counts. */
    last_question_id: integer(),
    asked_so_far: integer().notNull().default(0),
    found_so_far: integer().notNull().default(0),
  },
  (table) => [
    index().on(table.looked_at, table.course_id),
    index("passage_measures_waiting_index")
      .on(table.looked_at, table.course_id)
      .where(sql`${table.last_question_id} is not null`),
  ],
);

/**
 * A passage's embedding by a model of `EMBEDDINGS_MODEL`; empty if the model rejected it. Written by the
 * schedule, compared with pgvector if available (schema/functions/tutor/passage-vectors.sql).
 */
export const passageVectors = pgTable("passage_vectors", {
  passage_id: bigReference(() => passages.id, "cascade").primaryKey(),
  model: varchar({ length: 255 }).notNull(),
  vector: real().array().notNull(),
});

/** The last passage that the schedule checked for a missing vector, since its sweep began. */
export const passageVectorSweeps = pgTable("passage_vector_sweeps", {
  model: varchar({ length: 255 }).primaryKey(),
  done_to: bigint({ mode: "number" }).notNull(),
  begun_at: instant().notNull(),
});
