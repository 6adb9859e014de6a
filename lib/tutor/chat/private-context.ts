import { sql } from "drizzle-orm";
import * as z from "zod";
import {
  closeAndGradeExpiredAttempts,
  personAttemptAtItemCondition,
} from "../../assessment/close-expired-attempts.ts";
import type { Config } from "../../config.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { freeTextOfMessage } from "../dialogue/message-kind.ts";
import type { MessageEmbedding } from "../passages/embed-message.ts";
import { type AskedMessage, Passage, selectAndStorePassageOfferSql } from "../passages/offer.ts";
import { recordEmbeddingCallSql } from "../passages/record-embedding-call.ts";
import type { LearnerResults } from "./learner-results.ts";
import type { OpenTurn } from "./open-turn.ts";

const Row = z.object({ passages: z.array(Passage), results: z.custom<LearnerResults>().nullable() });

export type PassagesAndLearnerResults = z.output<typeof Row>;

/** Undefined for a turn that is not private. */
export const privateMessageText = ({
  shared,
  content,
}: Pick<OpenTurn, "shared" | "content">): string | undefined =>
  shared ? undefined : freeTextOfMessage(content);

/**
 * The best passages of the course, and the learner's results if shared with the tutor, as the learner may see
 * them now. One round trip. Empty without text.
 */
export async function offerPassagesAndLoadResults(
  db: Db,
  prices: Config["LLM_PRICES"],
  asked: AskedMessage,
  words: string,
  now: Date,
  meaning: MessageEmbedding | undefined,
): Promise<PassagesAndLearnerResults | undefined> {
  if (words.trim() === "") return undefined;
  const talk = sql`
    from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where talk.id = ${asked.session_id}`;
  const itself = {
    university_id: sql`item.university_id`,
    course_id: sql`item.course_id`,
    content_item_id: sql`item.id`,
  };
  const results = sql`learner_results_for_tutor(item.id, ${asked.user_id}::int, ${now.toISOString()}::timestamptz) as results`;
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      ${meaning && sql`with noted as (${recordEmbeddingCallSql(prices, meaning, itself, talk)})`}
      select ${selectAndStorePassageOfferSql(asked, words, now, meaning)} as passages, ${results}
      ${talk}`,
  );
  if (!row?.results?.attempts?.some(({ state }) => state === "closed")) return row;
  await closeAndGradeExpiredAttempts(
    db,
    now,
    personAttemptAtItemCondition(asked.user_id, sql`(select item.id ${talk})`),
  );
  const [settled] = await rowsOf(db, Row.pick({ results: true }), sql`select ${results} ${talk}`);
  return { ...row, ...settled };
}
