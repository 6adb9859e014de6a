import { pgTable, uuid, varchar } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/**
 * A task that one process runs for all. The lease in its row works with any connection pooler, and expires if
 * the process crashes.
 */
export const scheduledTasks = pgTable("scheduled_tasks", {
  name: varchar({ length: 64 }).primaryKey(),
  /** The holder of the lease and its expiry; null for tasks with a start time instead of a lease. */
  holder: uuid(),
  held_until: instant(),
  /**
   * When it last started; for the roll-up the midnight up to which days are complete
   * (schema/functions/operations/daily-report-aggregates.sql).
   */
  begun_at: instant().notNull(),
  /** Progress since then; for the roll-up a time of the next day. */
  reached_at: instant(),
});
