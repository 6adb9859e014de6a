import { sql } from "drizzle-orm";
import * as z from "zod";
import { attemptsAtItem, settleAttempts } from "../../assessment/settled.ts";
import type { Config } from "../../config.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { ownWords } from "../dialogue/message-kind.ts";
import type { Meaning } from "../passages/meaning.ts";
import { noteCall } from "../passages/note-call.ts";
import { type Asked, offeredPassages, Passage } from "../passages/offer.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { OwnResults } from "./own-results.ts";

const Row = z.object({ passages: z.array(Passage), results: z.custom<OwnResults>().nullable() });

/** Context of private turns only. */
export type ToldPrivately = z.output<typeof Row>;

/** Undefined for a turn that is not private. */
export const privateWords = ({
  shared,
  content,
}: Pick<OpenTurn, "shared" | "content">): string | undefined => (shared ? undefined : ownWords(content));

/**
 * The best matching passages of the course, and the learner's results if they share them with the tutor. Both
 * as far as the learner may see them now, in one round trip. Empty without text.
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
  const results = sql`results_for_tutor(item.id, ${asked.user_id}::int, ${now.toISOString()}::timestamptz) as results`;
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
