import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { doInSteps, repeatInStepsWhileMore } from "../../platform/db/query/steps.ts";

const Erased = z.object({ id: z.int() });

const peopleAtOnce = 20;

/**
 * Erases what requests still wrote for an erased account. Skips a number to which an erasure still moves
 * rows: a code would be deleted before its work arrives.
 */
export const eraseLeftoversQuery = (person: SQL, moment: string): SQL => sql`
  select erase_personal_data_keeping_statistics(${person}), anonymize_staff_work(${person}), close_open_attempts_for_erasure(${person}, ${moment})
  where not exists (select from data_requests where erased_user_id = ${person})`;

export async function eraseLeftovers(
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<number> {
  const moment = now().toISOString();
  let [last, looked] = [0, 0];
  await doInSteps(db, { rows: peopleAtOnce, signal }, async (tx, rows) => {
    const erased = await rowsOf(
      tx,
      Erased,
      sql`
        select next.id from (
          select id from users
          where erased_at > ${moment}::timestamptz - interval '1 day' and id > ${last} order by id limit ${rows}
        ) as next left join lateral (${eraseLeftoversQuery(sql`next.id`, moment)}) as erased on true
        order by next.id`,
    );
    last = erased.at(-1)?.id ?? last;
    looked += erased.length;
    return erased.length > 0;
  });
  return looked;
}

const conversationsAtOnce = 50;

/**
 * Erases conversations of erased accounts, and stored answers that only these led to. Returns the number of
 * batches.
 */
export const eraseConversationsOfErasedAccounts = (
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<number> => {
  const moment = now().toISOString();
  return repeatInStepsWhileMore(
    db,
    { rows: conversationsAtOnce, signal },
    (rows) => sql`process_account_erasures(${moment}, ${rows})`,
  );
};
