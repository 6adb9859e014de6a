import { sql } from "drizzle-orm";
import type { Deps } from "../../deps.ts";
import { changeInSteps } from "../../platform/db/query/steps.ts";

const notificationsDeletedPerStep = 5000;

/** Deletes notifications and reminders older than NOTIFICATION_MAX_AGE_DAYS. Returns their number. */
export async function pruneNotifications(
  { db, config, now }: Pick<Deps, "db" | "config" | "now">,
  signal: AbortSignal,
): Promise<number> {
  const days = config.NOTIFICATION_MAX_AGE_DAYS;
  const before = sql`${now().toISOString()}::timestamptz - make_interval(days => ${days})`;
  const reminders = await changeInSteps(
    db,
    { rows: notificationsDeletedPerStep, signal },
    (rows) => sql`
      delete from due_reminders where ctid = any (array(
        select ctid from due_reminders
        where due_at < ${before} order by due_at limit ${rows} for update skip locked))
      returning 1`,
  );
  const notifications = await changeInSteps(
    db,
    { rows: notificationsDeletedPerStep, signal },
    (rows) => sql`
      delete from notifications where id = any (array(
        select id from notifications where created_at < ${before} order by created_at limit ${rows}
        for update skip locked))
      returning id`,
  );
  return reminders + notifications;
}
