import { pgTable, uuid, varchar } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/**
 * What one process of all does for the others. Who does it holds the row by its lease, for a while at a time: a row stays
 * as it is written whatever pooler stands between, and a process that dies holds it no longer than that.
 */
export const scheduledTasks = pgTable("scheduled_tasks", {
  name: varchar({ length: 64 }).primaryKey(),
  /** Who does it, and until when nobody else may; of what is done at a time both are null. */
  holder: uuid(),
  held_until: instant(),
  /** When it was last begun; of counting the midnight up to which days are counted whole (schema/functions/report-days.sql). */
  begun_at: instant().notNull(),
  /** How far it has come since; of counting a moment of the next day. */
  reached_at: instant(),
});
