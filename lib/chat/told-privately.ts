import { sql } from "drizzle-orm";
import * as z from "zod";
import { attemptsAtItem, settleAttempts } from "../assessments/settled.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { ownWords } from "../dialogue/message-kind.ts";
import type { Meaning } from "../passages/meaning.ts";
import { noteCall } from "../passages/note-call.ts";
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
  prices: Config["LLM_PRICES"],
  asked: Asked,
  words: string,
  now: Date,
  meaning: Meaning | undefined,
): Promise<ToldPrivately | undefined> {
  if (words.trim() === "") return undefined;
  const talk = sql`
    from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where talk.id = ${asked.session_id}`;
  const itself = {
    university_id: sql`item.university_id`,
    course_id: sql`item.course_id`,
    content_item_id: sql`item.id`,
  };
  const results = sql`results_as_told(item.id, ${asked.user_id}::int, ${now.toISOString()}::timestamptz) as results`;
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      ${meaning && sql`with noted as (${noteCall(prices, meaning, itself, talk)})`}
      select ${offeredPassages(asked, words, now, meaning)} as passages, ${results}
      ${talk}`,
  );
  if (!row?.results?.attempts?.some(({ state }) => state === "closed")) return row;
  await settleAttempts(db, now, attemptsAtItem(asked.user_id, sql`(select item.id ${talk})`));
  const [settled] = await rowsOf(db, Row.pick({ results: true }), sql`select ${results} ${talk}`);
  return { ...row, ...settled };
}
