import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** How often something was done in the hour of the clock that `ends_at` ends; of hours that are over no row is looked at. */
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
