import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { repeatInStepsUntilZero } from "../../platform/db/query/steps.ts";

/** Between a reminder and the due date. */
const reminderHours = 24;

/** Of the first batch, small enough for short locks under load. */
const [readersAtOnce, itemsAtOnce, mailsAtOnce] = [5000, 20, 500];

/** Readers of announcements, items with reminders, and notifications moved to the outbox. */
export type ProcessedNotificationCounts = { told: number; reminded: number; settled: number };

/**
 * Notifies readers of published announcements, sends reminders, and moves notifications to the mail outbox,
 * until nothing is left or `signal` aborts. Concurrent rounds never process the same row.
 */
export async function createNotificationsAndQueueMails(
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<ProcessedNotificationCounts> {
  const at = now().toISOString();
  const ahead = sql`make_interval(hours => ${reminderHours})`;
  const all = (rows: number, step: (rows: number) => SQL) =>
    repeatInStepsUntilZero(db, { rows, signal }, step);
  return {
    told: await all(
      readersAtOnce,
      (rows) => sql`notify_readers_of_next_published_announcement(${at}, ${rows})`,
    ),
    reminded: await all(itemsAtOnce, (rows) => sql`notify_of_items_due_soon(${at}, ${ahead}, ${rows})`),
    settled: await all(mailsAtOnce, (rows) => sql`queue_due_notification_mail(${at}, ${rows})`),
  };
}
