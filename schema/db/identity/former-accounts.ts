import { index, pgTable, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import { bigId, instant, now, reference } from "../platform/columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * Identifies a returning erased account: the id in the university's own system, and keyed hashes of addresses
 * and identities (schema/functions/identity/former-accounts.sql).
 */
export const erasedIdentifiers = pgTable(
  "erased_identifiers",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** The university of the id; null for a hash. */
    university_id: reference(() => universities.id, "cascade"),
    identifier: varchar({ length: 255 }).notNull(),
  },
  (table) => [index().on(table.identifier), index().on(table.user_id), index().on(table.university_id)],
);

/** Erased accounts that were matched to a person; their attempts count for that person. */
export const formerAccounts = pgTable(
  "former_accounts",
  {
    user_id: reference(() => users.id, "cascade").notNull(),
    former_user_id: reference(() => users.id, "cascade").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.former_user_id] }),
    index().on(table.former_user_id),
  ],
);

/** The key of those hashes, encrypted with a SECRET_KEY. It survives key rotation. */
export const accountHashKeys = pgTable("account_hash_keys", {
  /** Identifies the SECRET_KEY without revealing either. */
  secret_mark: varchar({ length: 64 }).primaryKey(),
  ciphertext: text().notNull(),
  created_at: instant().notNull().default(now),
});

/** Closed accounts whose sessions the schedule still has to erase; deleted when done. */
export const erasures = pgTable("erasures", {
  user_id: reference(() => users.id, "cascade").primaryKey(),
  begun_at: instant().notNull(),
});
