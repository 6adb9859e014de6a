import { index, pgTable, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import { bigId, instant, now, reference } from "./columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * By what an erased account is found again: the id by which its university's own system knows the person, and keyed
 * hashes of the address and of the identities that it had (schema/functions/former-accounts.sql).
 */
export const erasedIdentifiers = pgTable(
  "erased_identifiers",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** Whose id it is; null for a hash. */
    university_id: reference(() => universities.id, "cascade"),
    identifier: varchar({ length: 255 }).notNull(),
  },
  (table) => [index().on(table.identifier), index().on(table.user_id), index().on(table.university_id)],
);

/** The erased accounts that a person had before, as they were found again: their attempts count for the person. */
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

/** The key of those hashes, encrypted under a SECRET_KEY. It stays the same when that is renewed. */
export const accountHashKeys = pgTable("account_hash_keys", {
  /** Says which SECRET_KEY opens it, and tells nothing of either. */
  secret_mark: varchar({ length: 64 }).primaryKey(),
  ciphertext: text().notNull(),
  created_at: instant().notNull().default(now),
});

/** Accounts that are closed, and whose conversations the schedule still has to erase; a row goes when all are. */
export const erasures = pgTable("erasures", {
  user_id: reference(() => users.id, "cascade").primaryKey(),
  begun_at: instant().notNull(),
});
