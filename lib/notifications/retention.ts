import { sql } from "drizzle-orm";
import { sumOfSteps } from "../db/query/steps.ts";
import type { Deps } from "../deps.ts";

const atOnce = 5000;

/** Deletes notifications older than NOTIFICATION_MAX_AGE_DAYS. Returns their number. */
export function pruneNotifications(
  { db, config, now }: Pick<Deps, "db" | "config" | "now">,
  signal: AbortSignal,
): Promise<number> {
  const days = config.NOTIFICATION_MAX_AGE_DAYS;
  const before = sql`${now().toISOString()}::timestamptz - make_interval(days => ${days})`;
  return sumOfSteps(db, { rows: atOnce, signal }, (rows) => sql`prune_notifications(${before}, ${rows})`);
}
