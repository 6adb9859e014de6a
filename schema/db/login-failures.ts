import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** Attempts to sign in with a password that have not come to a good end, of an account that may not even exist. */
export const loginFailures = pgTable(
  "login_failures",
  {
    /** SHA-256 of the e-mail address, in hexadecimal. */
    account_hash: varchar({ length: 64 }).primaryKey(),
    failures: integer().notNull(),
    /** When they are forgotten. */
    until: instant().notNull(),
  },
  (table) => [index().on(table.until)],
);
