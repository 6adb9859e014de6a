import { index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { instant, now, reference } from "./columns.ts";
import { users } from "./users.ts";

/** Encrypted credentials by name (`cloud`), with the little that may be shown of them. */
export const storedCredentials = pgTable(
  "stored_credentials",
  {
    name: varchar({ length: 64 }).primaryKey(),
    ciphertext: text().notNull(),
    access_key_id_last4: varchar({ length: 4 }).notNull(),
    updated_at: instant()
      .notNull()
      .default(now)
      .$onUpdate(() => now),
    updated_by: reference(() => users.id, "set null"),
  },
  (table) => [index().on(table.updated_by)],
);
