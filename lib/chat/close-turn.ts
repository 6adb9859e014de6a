import { sql } from "drizzle-orm";
import * as z from "zod";
import type { AnswerMeta, ChatMessage } from "../../schema/api/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Db } from "../db/client.ts";
import { rowsOf, StoredInstant } from "../db/rows.ts";
import { questionIn } from "../dialogue/question.ts";
import type { ListenerLease } from "../generations/leases.ts";
import { persistently } from "../generations/maker.ts";
import type { OpenTurn } from "./open-turn.ts";

const Row = z.object({
  id: z.int(),
  created_at: StoredInstant,
  content: z.string(),
  meta: z.custom<AnswerMeta>(),
});

/**
 * Closes a turn with an answer that has ended: stores it, moves the cursor and ends the lease, in one round trip. It
 * may be asked again, and is while the database cannot be reached: nobody else knows whether the first time came
 * through. Undefined when the turn is another's by now, or the answer went with its path.
 */
export async function closeTurn(
  db: Db,
  turn: OpenTurn,
  generation: number,
): Promise<ChatMessage | undefined> {
  const [row] = await persistently(() =>
    rowsOf(
      db,
      Row,
      sql`select * from close_turn(${turn.session_id}, ${turn.token}::uuid, ${turn.message_id}, ${generation})`,
    ),
  );
  return (
    row && {
      ...row,
      role: "assistant",
      question: questionIn(row.content) ?? null,
      feedback: null,
      created_at: toInstant(row.created_at),
    }
  );
}

/** Leaves a turn without an answer; the learner's message stays, and can be sent again. Others may go on listening. */
export async function leaveTurn(db: Db, { session, token }: ListenerLease): Promise<void> {
  await db.execute(sql`select leave_turn(${session}, ${token}::uuid)`);
}
