import * as z from "zod";
import { flashcardRatings, flashcardStates } from "../../enums.ts";
import { CourseLanguage } from "../courses/summaries.ts";
import {
  Description,
  Id,
  IdText,
  Instant,
  integer,
  integerText,
  pagination,
  title,
  upperEnum,
  WideId,
} from "../platform/fields.ts";
import { BooleanText } from "../platform/search-and-sort.ts";

const deckFields = {
  title: title(255).meta({ example: "Signals before the exam" }),
  description: Description.nullable(),
};

export const FlashcardDeckCreate = z
  .object(deckFields)
  .partial({ description: true })
  .meta({ id: "FlashcardDeckCreate" });

export const FlashcardDeckUpdate = z.object(deckFields).partial().meta({ id: "FlashcardDeckUpdate" });

export const FlashcardDeck = z
  .object({
    id: Id,
    title: z.string(),
    description: z.string().nullable(),
    card_count: z.int().min(0),
    due_count: z.int().min(0).meta({ description: "Number of cards due now" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "FlashcardDeck" });

/** Maximum length of a card's side, in characters. */
export const maxCardSideCharacters = 4000;

const Side = title(maxCardSideCharacters);

const cardFields = {
  front: Side.meta({ example: "What is the Nyquist frequency?" }),
  back: Side.meta({ example: "Half of the sampling rate." }),
  deck_id: Id.nullable().meta({ description: "A deck of the caller; null for none" }),
};

export const FlashcardCreate = z
  .object({ ...cardFields, content_item_id: Id.nullable().meta({ description: "Topic of the card" }) })
  .partial({ deck_id: true, content_item_id: true })
  .meta({ id: "FlashcardCreate" });

export const FlashcardUpdate = z.object(cardFields).partial().meta({ id: "FlashcardUpdate" });

export const FlashcardFromAnswer = z
  .object({
    message_id: WideId.meta({ description: "A tutor answer in a conversation of the caller" }),
    front: Side.optional().meta({
      description:
        "Default: the learner's question; the tutor's question if the learner chose an option; the topic's " +
        "title for a greeting",
    }),
    back: Side.optional().meta({ description: "Default: the beginning of the answer" }),
    deck_id: cardFields.deck_id.optional(),
  })
  .meta({ id: "FlashcardFromAnswer" });

export const FlashcardFromQuestion = z
  .object({
    message_id: WideId.meta({
      description:
        "A tutor message in a conversation of the caller, with a question that the caller has answered",
    }),
    deck_id: cardFields.deck_id.optional(),
  })
  .meta({ id: "FlashcardFromQuestion" });

/** A card with its FSRS memory state. */
export const Flashcard = z
  .object({
    id: Id,
    deck_id: Id.nullable(),
    content_item_id: Id.nullable(),
    language_code: CourseLanguage,
    message_id: WideId.nullable().meta({ description: "The tutor answer from which the card was created" }),
    front: z.string(),
    back: z.string(),
    state: upperEnum(flashcardStates),
    due: Instant.meta({ description: "When the card is due" }),
    stability: z.number().meta({ description: "Days until the recall probability falls to 90 %" }),
    difficulty: z.number().meta({ description: "Difficulty from 1 to 10; 0 before the first review" }),
    scheduled_days: z.int(),
    reps: z.int().meta({ description: "Number of reviews" }),
    lapses: z.int().meta({ description: "Number of times the card was forgotten" }),
    last_review: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Flashcard" });

export const FlashcardReviewCreate = z
  .object({
    rating: upperEnum(flashcardRatings).meta({ example: "GOOD" }),
    reps: integer(0).meta({ example: 0, description: "The card's `reps` when it was shown" }),
  })
  .meta({ id: "FlashcardReviewCreate" });

export const FlashcardReview = z
  .object({
    counted: z.boolean().meta({ description: "False if this showing of the card was already reviewed" }),
    flashcard: Flashcard,
  })
  .meta({ id: "FlashcardReview" });

export const FlashcardQuery = z.object({
  deck_id: IdText.optional(),
  content_item_id: IdText.optional(),
  without_deck: BooleanText.optional().meta({
    description: "`true`: only cards without a deck; `false`: only cards with one",
  }),
  ...pagination,
});

export const DueFlashcardQuery = z.object({
  deck_id: IdText.optional(),
  limit: integerText(integer(1, 100)).default(20),
});

export const FlashcardDeckQuery = z.object(pagination);

export type FlashcardFromQuestion = z.output<typeof FlashcardFromQuestion>;
export type FlashcardDeckCreate = z.output<typeof FlashcardDeckCreate>;
export type FlashcardDeckUpdate = z.output<typeof FlashcardDeckUpdate>;
export type FlashcardDeck = z.input<typeof FlashcardDeck>;
export type FlashcardCreate = z.output<typeof FlashcardCreate>;
export type FlashcardUpdate = z.output<typeof FlashcardUpdate>;
export type FlashcardFromAnswer = z.output<typeof FlashcardFromAnswer>;
export type FlashcardReviewCreate = z.output<typeof FlashcardReviewCreate>;
export type FlashcardReview = z.input<typeof FlashcardReview>;
export type FlashcardQuery = z.output<typeof FlashcardQuery>;
export type DueFlashcardQuery = z.output<typeof DueFlashcardQuery>;
export type Flashcard = z.input<typeof Flashcard>;
