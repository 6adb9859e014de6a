import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { sumOfSteps } from "../db/query/steps.ts";

/** How long before something is due its people are reminded. */
const reminderHours = 24;

/** What the first step does: few enough people, items or mails that its locks are short beside live traffic. */
const [readersAtOnce, itemsAtOnce, mailsAtOnce] = [5000, 20, 500];

/** What one round did: announcements' readers, items that are soon due, and notifications that went to the outbox. */
export type Noticed = { told: number; reminded: number; settled: number };

/**
 * Tells the readers of announcements that were published, reminds of what is soon due, and puts what is to go out by
 * mail into the outbox, until nothing is left or the signal stops it. What one round leaves the next goes on with; of
 * rounds at once none does what another did.
 */
export async function noticeAll(
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<Noticed> {
  const at = now().toISOString();
  const ahead = sql`make_interval(hours => ${reminderHours})`;
  const all = (rows: number, step: (rows: number) => SQL) => sumOfSteps(db, { rows, signal }, step);
  return {
    told: await all(readersAtOnce, (rows) => sql`tell_announcement(${at}, ${rows})`),
    reminded: await all(itemsAtOnce, (rows) => sql`remind_of_due(${at}, ${ahead}, ${rows})`),
    settled: await all(mailsAtOnce, (rows) => sql`queue_notification_mail(${at}, ${rows})`),
  };
}
