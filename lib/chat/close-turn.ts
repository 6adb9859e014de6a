import DataLoader from "dataloader";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { AnswerMeta, ChatMessage } from "../../schema/api/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Question } from "../../schema/question.ts";
import { lru } from "../caching/lru.ts";
import { memoize } from "../caching/memoize.ts";
import type { Db } from "../db/client.ts";
import { rowsOf, StoredInstant } from "../db/query/rows.ts";
import { retrying } from "../db/retry-window.ts";
import { questionIn } from "../dialogue/answer-reader.ts";
import type { ListenerLease } from "../generations/leases.ts";
import { asksOf } from "./messages.ts";
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

/** A turn that ends with that answer. */
type Ending = { turn: Pick<OpenTurn, "session_id" | "message_id" | "token">; generation: number };

/**
 * Closes a turn with an answer that has ended: stores it, moves the cursor and ends the lease. Those of a class who
 * waited for it in this process share the round trip. It is repeated while the database cannot be reached, since nobody
 * knows whether the first time came through; repeating it changes nothing. Undefined when the turn is another's by now,
 * or the answer went with its path.
 */
export async function closeTurn(
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
    ...asksOf(questionOf(row.content), { has_key, carried }),
    feedback: null,
    sources: [],
    created_at: toInstant(row.created_at),
  };
}

/** A class ends with the same answer, which is read once. */
const questionOf = lru(10, (content: string) => questionIn(content) ?? null);

/** As many sessions as one transaction holds at once, for some 50 milliseconds. */
const mostTogether = 100;

const endingsOf = memoize(
  (db: Db) => new DataLoader(closeTogether(db), { cache: false, maxBatchSize: mostTogether }),
);

const closeTogether = (db: Db) => async (together: readonly Ending[]) => {
  const byAnswer = Map.groupBy(together, ({ generation }) => generation);
  const closed = await Promise.all([...byAnswer].map(([generation, of]) => closeAll(db, generation, of)));
  const byQuestion = new Map(closed.flat().map((row) => [row.question, row]));
  return together.map(({ turn }) => byQuestion.get(turn.message_id));
};

const closeAll = (db: Db, generation: number, of: readonly Ending[]) =>
  retrying(() =>
    rowsOf(
      db,
      Row,
      sql`select question, id, created_at, content, meta, has_key, carried from close_turns(${generation},
        ${sql.param(of.map(({ turn }) => turn.session_id))}::bigint[],
        ${sql.param(of.map(({ turn }) => turn.token))}::uuid[],
        ${sql.param(of.map(({ turn }) => turn.message_id))}::bigint[])`,
    ),
  );

/** Leaves a turn without an answer; the learner's message stays, and can be sent again. Others may go on listening. */
export async function leaveTurn(db: Db, { session, token }: ListenerLease): Promise<void> {
  await db.execute(sql`select leave_turn(${session}, ${token}::uuid)`);
}
