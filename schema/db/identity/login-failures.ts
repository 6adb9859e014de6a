import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { instant } from "../platform/columns.ts";

/** Failed password sign-ins for an account, which may not exist. */
export const loginFailures = pgTable(
  "login_failures",
  {
    /**
     * SHA-256 of the email address in hexadecimal: failures from all networks. Or its first 32 characters and 32 of a
     * network's or device's hash.
     */
    account_hash: varchar({ length: 64 }).primaryKey(),
    failures: integer().notNull(),
    until: instant().notNull(),
  },
  (table) => [index().on(table.until)],
);
