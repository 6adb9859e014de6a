import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Meaning } from "./meaning.ts";

/** Where a passage stands in its item. */
export const Place = z.object({
  block: z.int().optional(),
  seconds: z.int().optional(),
  file: z.string().optional(),
});

/** A passage that the tutor is offered, by the number that it is cited with. */
export const Passage = z.object({
  number: z.int(),
  title: z.string(),
  place: Place,
  body: z.string(),
  /** Whether the course's own questions find the right place too seldom to say more. */
  perhaps: z.boolean(),
});
export type Passage = z.output<typeof Passage>;

/** How many are offered at most. */
const mostPassages = 5;

/** Whose answer it is to be: a message of a person's own conversation. */
export type Asked = { session_id: number; message_id: number; user_id: number };

/**
 * The best passages of the conversation's course for these words and what they mean, of what the person may open now, as JSON beside the
 * conversation's `item`; what was offered is kept beside the message.
 */
export const offeredPassages = (
  { message_id, user_id }: Asked,
  words: string,
  now: Date,
  meaning: Meaning | undefined,
): SQL => sql`coalesce((
  select json_agg(json_build_object('number', number, 'title', title, 'place', place, 'body', body, 'perhaps', perhaps)
    order by number)
  from offer_passages(${message_id}::bigint, item.course_id, ${user_id}::int, ${now.toISOString()}::timestamptz,
    ${words}, ${mostPassages}, ${meaning?.model ?? null}::text, ${meaning ? `{${meaning.vector}}` : null}::real[])), '[]')`;
