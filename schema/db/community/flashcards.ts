import { sql } from "drizzle-orm";
import {
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { type FlashcardRating, type FlashcardState, flashcardRatings, flashcardStates } from "../../enums.ts";
import { contentItems } from "../courses/content-items.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  bigReference,
  id,
  instant,
  now,
  oneOf,
  reference,
  timestamps,
  upperEnum,
} from "../platform/columns.ts";
import { chatMessages } from "../tutor/chat.ts";

/** A card's memory by FSRS; stability in days, difficulty from 1 to 10, both 0 before the first review. */
const memory = () => ({
  state: upperEnum<FlashcardState>().notNull().default(sql`'new'`),
  due: instant().notNull().default(now),
  stability: doublePrecision().notNull().default(0),
  difficulty: doublePrecision().notNull().default(0),
  elapsed_days: integer().notNull().default(0),
  scheduled_days: integer().notNull().default(0),
  /** Completed short learning steps, in learning or relearning. */
  learning_steps: integer().notNull().default(0),
});

export const flashcardDecks = pgTable(
  "flashcard_decks",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    title: varchar({ length: 255 }).notNull(),
    description: text(),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.user_id, table.title),
    // The target of the foreign key that keeps a card in its owner's deck.
    unique().on(table.id, table.user_id),
  ],
);

/** A person's card, shown when due. It outlives its content item. */
export const flashcards = pgTable(
  "flashcards",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    deck_id: integer(),
    content_item_id: reference(() => contentItems.id, "set null"),
    /** The tutor's answer that it was made from. */
    message_id: bigReference(() => chatMessages.id, "set null"),
    /** For cards of questions: `question_hash` (answers-to-tutor-questions.sql); a person has one card for each. */
    question_hash: varchar({ length: 64 }),
    front: text().notNull(),
    back: text().notNull(),
    ...memory(),
    reps: integer().notNull().default(0),
    lapses: integer().notNull().default(0),
    last_review: instant(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.user_id, table.due, table.id),
    foreignKey({
      name: "flashcards_deck_id_flashcard_decks_id_fk",
      columns: [table.deck_id, table.user_id],
      foreignColumns: [flashcardDecks.id, flashcardDecks.user_id],
    }).onDelete("cascade"),
    index().on(table.deck_id, table.due, table.id),
    index().on(table.content_item_id),
    index().on(table.message_id),
    uniqueIndex("flashcards_question_key")
      .on(table.user_id, table.content_item_id, table.question_hash)
      .where(sql`${table.question_hash} is not null`),
    oneOf(table.state, flashcardStates),
  ],
);

/** A review of a card, with its rating and the resulting memory. */
export const flashcardReviews = pgTable(
  "flashcard_reviews",
  {
    id: bigId(),
    flashcard_id: reference(() => flashcards.id, "cascade").notNull(),
    rating: upperEnum<FlashcardRating>().notNull(),
    ...memory(),
    reviewed_at: instant().notNull().default(now),
  },
  (table) => [
    index().on(table.flashcard_id, table.reviewed_at, table.id),
    oneOf(table.rating, flashcardRatings),
    oneOf(table.state, flashcardStates),
  ],
);
