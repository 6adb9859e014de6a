import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/**
 * How often something was done in the hour of the clock that `ends_at` ends, or, of what may be done once, that it was, for
 * an hour. What has ended is looked at by nobody.
 */
export const rateLimits = pgTable(
  "rate_limits",
  {
    /** What is counted, and of whom or where, such as `invitations of person 7`. */
    name: varchar({ length: 160 }).primaryKey(),
    used: integer().notNull(),
    ends_at: instant().notNull(),
  },
  (table) => [index().on(table.ends_at)],
);
