import { index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { instant, now, reference } from "../platform/columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * Encrypted credentials by name, with the parts that may be shown: `cloud` for the platform, `cloud/7` for
 * university 7, deleted with it.
 */
export const storedCredentials = pgTable(
  "stored_credentials",
  {
    name: varchar({ length: 64 }).primaryKey(),
    university_id: reference(() => universities.id, "cascade"),
    ciphertext: text().notNull(),
    access_key_id_last4: varchar({ length: 4 }).notNull(),
    updated_at: instant()
      .notNull()
      .default(now)
      .$onUpdate(() => now),
    updated_by: reference(() => users.id, "set null"),
  },
  (table) => [index().on(table.updated_by), index().on(table.university_id)],
);
