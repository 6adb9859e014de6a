import { sql } from "drizzle-orm";
import { doublePrecision, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { type FlashcardRating, type FlashcardState, flashcardRatings, flashcardStates } from "../enums.ts";
import { id, instant, now, oneOf, reference, timestamps, upperEnum } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { users } from "./users.ts";

/** The memory of a card as FSRS models it; stability is in days, difficulty from 1 to 10, both 0 until the first review. */
const memory = () => ({
  state: upperEnum<FlashcardState>().notNull().default(sql`'new'`),
  due: instant().notNull().default(now),
  stability: doublePrecision().notNull().default(0),
  difficulty: doublePrecision().notNull().default(0),
  elapsed_days: integer().notNull().default(0),
  scheduled_days: integer().notNull().default(0),
});

/** A person's own card, shown again when it is due. It outlives the content item it was made from. */
export const flashcards = pgTable(
  "flashcards",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "set null"),
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
    index().on(table.content_item_id),
    oneOf(table.state, flashcardStates),
  ],
);

/** One review of a card: how it went, and the memory it left. */
export const flashcardReviews = pgTable(
  "flashcard_reviews",
  {
    id: id(),
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
