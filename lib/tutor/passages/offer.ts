import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { MessageEmbedding } from "./embed-message.ts";

export const PassageLocation = z.object({
  block: z.int().optional(),
  seconds: z.int().optional(),
  file: z.string().optional(),
});

/** By its citation number. */
export const Passage = z.object({
  number: z.int(),
  title: z.string(),
  place: PassageLocation,
  body: z.string(),
  /** Retrieval in the course is inaccurate: passages are presented as possibly relevant. */
  perhaps: z.boolean(),
});
export type Passage = z.output<typeof Passage>;

const maxOfferedPassages = 5;

export type AskedMessage = { session_id: number; message_id: number; user_id: number };

/**
 * The best passages of the session's course that the person may open, as JSON joined to the session's `item`.
 * Stores the offer with the message.
 */
export const selectAndStorePassageOfferSql = (
  { message_id, user_id }: AskedMessage,
  words: string,
  now: Date,
  meaning: MessageEmbedding | undefined,
): SQL => sql`coalesce((
  select json_agg(json_build_object('number', number, 'title', title, 'place', place, 'body', body, 'perhaps', perhaps)
    order by number)
  from select_and_store_passages_for_question(${message_id}::bigint, item.course_id, ${user_id}::int, ${now.toISOString()}::timestamptz,
    ${words}, ${maxOfferedPassages}, ${meaning?.model ?? null}::text, ${meaning ? `{${meaning.vector}}` : null}::real[])), '[]')`;
