import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";

/** Where a passage stands in its item. */
export const Place = z.object({
  block: z.int().optional(),
  seconds: z.int().optional(),
  file: z.string().optional(),
});

/** A passage that the tutor is offered, by the number that it is cited with. */
export const Passage = z.object({ number: z.int(), title: z.string(), place: Place, body: z.string() });
export type Passage = z.output<typeof Passage>;

/** How many are offered at most. */
const mostPassages = 5;

/** Whose answer it is to be: a message of a person's own conversation. */
type Asked = { session_id: number; message_id: number; user_id: number };

/**
 * The best passages of the conversation's course for these words, of what the person may open now, in one round trip; what
 * was offered is kept beside the message. None for no words.
 */
export async function offerPassages(db: Db, asked: Asked, words: string, now: Date): Promise<Passage[]> {
  if (words.trim() === "") return [];
  return rowsOf(
    db,
    Passage,
    sql`
      select offered.* from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
      cross join lateral offer_passages(${asked.message_id}::bigint, item.course_id, ${asked.user_id}::int,
        ${now.toISOString()}::timestamptz, ${words}, ${mostPassages}) as offered
      where talk.id = ${asked.session_id} order by offered.number`,
  );
}
