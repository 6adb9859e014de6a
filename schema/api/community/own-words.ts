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
      description: "Words that must all occur, in any order, whole or in part, ignoring case and accents",
    }),
    kind: upperEnum(ownWordKinds)
      .optional()
      .meta({ description: "Only results of this kind; the other lists are empty" }),
    before: WideIdText.optional().meta({
      description: "Requires `kind`: the value of `before` in the previous page",
    }),
    limit: integerText(integer(1, 50))
      .default(10)
      .meta({ description: "Maximum number of results of each kind" }),
  })
  .superRefine(({ kind, before }, context) => {
    if (before !== undefined && kind === undefined)
      context.addIssue({ code: "custom", path: ["kind"], message: "Field required with `before`" });
  });

const Found = z.object({
  id: WideId.meta({ description: "Id of the note, card or message" }),
  title: z
    .string()
    .nullable()
    .meta({ description: "Title of the topic, else of the deck; null for a card with neither" }),
  excerpt: z.string().meta({ description: "Plain text around the first match" }),
  marks: z
    .array(
      z.object({
        start: z.int().meta({ description: "Position of the first character, from 0" }),
        end: z.int().meta({ description: "Position after the last character" }),
      }),
    )
    .meta({ description: "Matches in the excerpt, in UTF-16 units" }),
  created_at: Instant,
  content_item_id: Id.nullable(),
  course_id: Id.nullable(),
  language_code: CourseLanguage,
  course_offering_id: Id.nullable().meta({
    description: "Offering in which the caller can open it: the enrolled one, else the newest of the course",
  }),
  deck_id: Id.nullable(),
  session_id: WideId.nullable().meta({ description: "Conversation of a message" }),
});

const FoundList = z.object({
  items: z.array(Found).meta({ description: "Newest first" }),
  before: WideId.nullable().meta({
    description: "Cursor for the next page; null at the end. A page may be empty before the end",
  }),
});

/** Search results in the caller's own notes, flashcards and conversations. */
export const OwnWords = z
  .object({
    notes: FoundList.meta({ description: "The caller's notes" }),
    flashcards: FoundList.meta({ description: "Cards in the caller's decks" }),
    messages: FoundList.meta({ description: "Messages of both sides in the caller's tutor conversations" }),
  })
  .meta({ id: "OwnWords" });

export type OwnWordsQuery = z.output<typeof OwnWordsQuery>;
export type OwnWords = z.input<typeof OwnWords>;
export type FoundWords = z.input<typeof Found>;
