import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/**
 * Counts of an action in the clock hour until `ends_at`; for one-time actions the use, for an hour. Expired
 * rows are ignored.
 */
export const rateLimits = pgTable(
  "rate_limits",
  {
    /** The counted action and its subject, such as `invitations of person 7`. */
    name: varchar({ length: 160 }).primaryKey(),
    used: integer().notNull(),
    ends_at: instant().notNull(),
  },
  (table) => [index().on(table.ends_at)],
);
