import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { ownWords } from "../dialogue/message-kind.ts";
import type { Meaning } from "../passages/meaning.ts";
import { type Asked, offeredPassages, Passage } from "../passages/offer.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { OwnResults } from "./own-results.ts";

const Row = z.object({ passages: z.array(Passage), results: z.custom<OwnResults>().nullable() });

/** What an answer to a person's own words is told beside them, which nobody else is told. */
export type ToldPrivately = z.output<typeof Row>;

/** The words of a turn that are answered with what nobody else is told; undefined for a turn that has none. */
export const privateWords = ({
  shared,
  content,
}: Pick<OpenTurn, "shared" | "content">): string | undefined => (shared ? undefined : ownWords(content));

/**
 * The course's passages that fit the words best, and how the person did at the topic where they let the tutor see it: both of
 * what the person may open and see now, in one round trip. Nothing for no words.
 */
export async function toldPrivately(
  db: Db,
  asked: Asked,
  words: string,
  now: Date,
  meaning: Meaning | undefined,
): Promise<ToldPrivately | undefined> {
  if (words.trim() === "") return undefined;
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      select ${offeredPassages(asked, words, now, meaning)} as passages,
             results_as_told(item.id, ${asked.user_id}::int, ${now.toISOString()}::timestamptz) as results
      from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
      where talk.id = ${asked.session_id}`,
  );
  return row;
}
