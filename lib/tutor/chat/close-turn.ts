import DataLoader from "dataloader";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { AnswerMeta, ChatMessage } from "../../../schema/api/tutor/chat.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { Question } from "../../../schema/question.ts";
import { memoizeLru } from "../../platform/caching/lru.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../../platform/db/retry-window.ts";
import { findLastQuestion } from "../dialogue/answer-reader.ts";
import type { ListenerLease } from "../generations/leases.ts";
import { questionAndMovesOfAnswer } from "./messages.ts";
import type { OpenTurn } from "./open-turn.ts";

const Row = z.object({
  question: z.int(),
  id: z.int(),
  created_at: StoredInstant,
  content: z.string(),
  meta: z.custom<AnswerMeta>(),
  has_key: z.boolean(),
  carried: z.custom<Question>().nullable(),
});

type Ending = { turn: Pick<OpenTurn, "session_id" | "message_id" | "token">; generation: number };

/**
 * Stores a finished answer, moves the cursor and ends the lease. A class's subscribers in this process share
 * the round trip. Idempotent: retried while the database is unreachable. Undefined if the turn was lost or
 * its path deleted.
 */
export async function storeAnswerAndCloseTurn(
  db: Db,
  turn: Ending["turn"],
  generation: number,
): Promise<ChatMessage | undefined> {
  const row = await endingsOf(db).load({ turn, generation });
  if (!row) return undefined;
  const { question: _, has_key, carried, ...answer } = row;
  return {
    ...answer,
    role: "assistant",
    ...questionAndMovesOfAnswer(questionOf(row.content), { has_key, carried }),
    feedback: null,
    sources: [],
    created_at: toInstant(row.created_at),
  };
}

/** A class gets the same answer, which is parsed once. */
const questionOf = memoizeLru(10, (content: string) => findLastQuestion(content) ?? null);

/** One transaction locks these sessions for about 50 ms. */
const maxTurnsClosedPerTransaction = 100;

const endingsOf = memoize(
  (db: Db) => new DataLoader(closeTogether(db), { cache: false, maxBatchSize: maxTurnsClosedPerTransaction }),
);

const closeTogether = (db: Db) => async (together: readonly Ending[]) => {
  const byAnswer = Map.groupBy(together, ({ generation }) => generation);
  const closed = await Promise.all([...byAnswer].map(([generation, of]) => closeAll(db, generation, of)));
  const byQuestion = new Map(closed.flat().map((row) => [row.question, row]));
  return together.map(({ turn }) => byQuestion.get(turn.message_id));
};

const closeAll = (db: Db, generation: number, of: readonly Ending[]) =>
  retryWhileUnavailable(() =>
    rowsOf(
      db,
      Row,
      sql`select question, id, created_at, content, meta, has_key, carried from end_waiting_turns_of_generation(${generation},
        ${sql.param(of.map(({ turn }) => turn.session_id))}::bigint[],
        ${sql.param(of.map(({ turn }) => turn.token))}::uuid[],
        ${sql.param(of.map(({ turn }) => turn.message_id))}::bigint[])`,
    ),
  );

/** Leaves a turn without an answer. The message can be sent again; other subscribers are not affected. */
export async function releaseUnansweredTurn(db: Db, { session, token }: ListenerLease): Promise<void> {
  await db.execute(sql`select release_unanswered_turn(${session}, ${token}::uuid)`);
}
