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
import { chatMessages } from "./chat.ts";
import { bigId, bigReference, instant, json, reference, searchWords } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courses } from "./courses.ts";

/** Where something stands in an item: a block of a page, counted from 1, a moment of a film, or a file; nowhere for its own words. */
export type Place = { block?: number; seconds?: number; file?: string };

/** What an item tells learners in words, in parts that can be found and cited; the database writes them with the item. */
export const passages = pgTable(
  "passages",
  {
    id: bigId(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    /** Counted from 1, in the order in which they are told. */
    number: integer().notNull(),
    place: json<Place>().notNull(),
    body: text().notNull(),
    /** Its words and its item's title, as they are searched in the course's language, and how many they are. */
    search: searchWords().notNull(),
    length: integer().notNull(),
  },
  (table) => [unique().on(table.content_item_id, table.number)],
);

/** The passages that the tutor was offered for its answer to a message of one person. */
export const messageSources = pgTable(
  "message_sources",
  {
    id: bigId(),
    question_id: bigReference(() => chatMessages.id, "cascade").notNull(),
    number: integer().notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    place: json<Place>().notNull(),
    /** Whether it was told as what helps perhaps. */
    perhaps: boolean().notNull().default(true),
  },
  (table) => [
    unique().on(table.question_id, table.number),
    index().on(table.content_item_id),
    check("message_sources_number_check", sql`${table.number} > 0`),
  ],
);

/**
 * For how many of the questions of a course's own quizzes a right passage is among the five that are found. The schedule
 * measures it, by `schema/functions/passage-measures.sql`.
 */
export const passageMeasures = pgTable(
  "passage_measures",
  {
    course_id: reference(() => courses.id, "cascade").primaryKey(),
    /** How many questions were asked, and for how many a right passage was found, when it was measured last. */
    asked: integer().notNull().default(0),
    found: integer().notNull().default(0),
    measured_at: instant(),
    /** When the schedule last looked whether it holds, and of what passages and questions it is. */
    looked_at: instant().notNull(),
    hangs_on: text(),
    /** While it is being measured: up to which question, and what came of that. */
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
 * What a passage means, by a model of `EMBEDDINGS_MODEL`; without elements where the model would not take it. Written by the
 * schedule, compared where the database has pgvector (schema/functions/passage-vectors.sql).
 */
export const passageVectors = pgTable("passage_vectors", {
  passage_id: bigReference(() => passages.id, "cascade").primaryKey(),
  model: varchar({ length: 255 }).notNull(),
  vector: real().array().notNull(),
});

/** Up to which passage the schedule has looked for those without a vector of a model, since it began at the first. */
export const passageVectorSweeps = pgTable("passage_vector_sweeps", {
  model: varchar({ length: 255 }).primaryKey(),
  done_to: bigint({ mode: "number" }).notNull(),
  begun_at: instant().notNull(),
});
