import * as z from "zod";
import { ownWordKinds } from "../../enums.ts";
import { CourseLanguage } from "../courses/summaries.ts";
import {
  Id,
  Instant,
  integer,
  integerText,
  title,
  upperEnum,
  WideId,
  WideIdText,
} from "../platform/fields.ts";

export const OwnWordsQuery = z
  .object({
    q: title(255).meta({
      example: "interference",
      description:
        "Words that are all to be there, in any order, whole or in part, whatever their case and accents",
    }),
    kind: upperEnum(ownWordKinds)
      .optional()
      .meta({ description: "Only these; the other lists are empty then" }),
    before: WideIdText.optional().meta({ description: "With `kind`: goes on behind `before` of that list" }),
    limit: integerText(integer(1, 50)).default(10).meta({ description: "Of each kind" }),
  })
  .superRefine(({ kind, before }, context) => {
    if (before !== undefined && kind === undefined)
      context.addIssue({ code: "custom", path: ["kind"], message: "Field required with `before`" });
  });

const Found = z.object({
  id: WideId.meta({ description: "Of the note, the card or the message" }),
  title: z
    .string()
    .nullable()
    .meta({ description: "Of the topic, else of the deck; null of a card of neither" }),
  excerpt: z.string().meta({ description: "The words around the first that is found, as plain text" }),
  marks: z
    .array(
      z.object({
        start: z.int().meta({ description: "Where the first character stands, from 0" }),
        end: z.int().meta({ description: "Where the first character behind it stands" }),
      }),
    )
    .meta({ description: "Where in the excerpt the words stand, in UTF-16" }),
  created_at: Instant,
  content_item_id: Id.nullable(),
  course_id: Id.nullable(),
  language_code: CourseLanguage,
  course_offering_id: Id.nullable().meta({
    description: "In which the caller reads it: where they are enrolled, else the course's newest",
  }),
  deck_id: Id.nullable(),
  session_id: WideId.nullable().meta({ description: "Of a message: its conversation" }),
});

const FoundList = z.object({
  items: z.array(Found).meta({ description: "Newest first" }),
  before: WideId.nullable().meta({
    description:
      "Where the list goes on; null at its end. A part of a long history may hold nothing, and goes on all the same",
  }),
});

/** Search results in the caller's own notes, flashcards and conversations. */
export const OwnWords = z
  .object({
    notes: FoundList.meta({ description: "What the caller wrote to topics" }),
    flashcards: FoundList.meta({ description: "The cards in the caller's decks" }),
    messages: FoundList.meta({ description: "Of the caller's conversations with the tutor, of either side" }),
  })
  .meta({ id: "OwnWords" });

export type OwnWordsQuery = z.output<typeof OwnWordsQuery>;
export type OwnWords = z.input<typeof OwnWords>;
export type FoundWords = z.input<typeof Found>;
