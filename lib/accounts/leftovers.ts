import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { repeatInSteps } from "../db/steps.ts";

const Erased = z.object({ id: z.int() });

/**
 * Erases what requests were writing in the name of those who erased their accounts in the last day: it came after. Answers
 * of how many it was looked for, until `signal`.
 */
export async function eraseLeftovers(
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<number> {
  const moment = now().toISOString();
  const erased = await rowsOf(
    db,
    Erased,
    sql`select id from users where erased_at > ${moment}::timestamptz - interval '1 day' order by id`,
  );
  let looked = 0;
  for (const { id } of erased) {
    if (signal.aborted) break;
    await db.execute(sql`select erase_leftovers(${id}, ${moment})`);
    looked += 1;
  }
  return looked;
}

/** Conversations of the first step; one may have hundreds of messages. */
const conversationsAtOnce = 50;

/**
 * Erases the conversations of those who erased their accounts, and the stored answers that only their words led to, until
 * `signal`. Answers how many steps it took.
 */
export const eraseConversations = (
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<number> => {
  const moment = now().toISOString();
  return repeatInSteps(
    db,
    { rows: conversationsAtOnce, signal },
    (rows) => sql`erase_conversations(${moment}, ${rows})`,
  );
};
