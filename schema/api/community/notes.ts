import * as z from "zod";
import { Id, IdText, Instant, integer, pagination, text, title } from "../platform/fields.ts";

const Anchor = z
  .object({
    block: integer(0).optional().meta({ description: "Block of a text, from 0" }),
    seconds: z
      .number()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: "Seconds from the start of a video" }),
    quote: text(1000).optional().meta({ description: "The quoted text" }),
  })
  .meta({ id: "NoteAnchor", description: "Position in the content item" });

const writableFields = {
  body: title(20_000).meta({ example: "A sample is a number, not the sound." }),
  anchor: Anchor.nullable(),
  language_code: title(8).meta({
    example: "en",
    description: "Language for the search; by default that of the course",
  }),
};

export const NoteCreate = z
  .object({ ...writableFields, content_item_id: Id })
  .partial({ anchor: true, language_code: true })
  .meta({ id: "NoteCreate" });

export const NoteUpdate = z.object(writableFields).partial().meta({ id: "NoteUpdate" });

export const Note = z
  .object({
    id: Id,
    content_item_id: Id,
    body: z.string(),
    anchor: Anchor.nullable(),
    language_code: z.string(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Note" });

export const NoteQuery = z.object({
  content_item_id: IdText.optional(),
  q: text(255).optional().meta({
    description: 'Words in any grammatical form. Supports `"a phrase"`, `or`, and `-without`',
  }),
  ...pagination,
});

export type NoteCreate = z.output<typeof NoteCreate>;
export type NoteUpdate = z.output<typeof NoteUpdate>;
export type NoteQuery = z.output<typeof NoteQuery>;
export type Note = z.input<typeof Note>;
