import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { changeInSteps } from "../db/query/steps.ts";

const mailsDeletedPerStep = 5000;

/** Deletes mail that was sent, dropped or given up at least a day ago. Returns the number. */
export function pruneMail({ db, now }: { db: Db; now: () => Date }, signal: AbortSignal): Promise<number> {
  const before = sql`${now().toISOString()}::timestamptz - interval '1 day'`;
  return changeInSteps(
    db,
    { rows: mailsDeletedPerStep, signal },
    (rows) => sql`
      delete from mail_outbox where id = any (array(
        select id from mail_outbox where ended_at < ${before} order by ended_at limit ${rows} for update skip locked))
      returning id`,
  );
}
