import { pgTable, varchar } from "drizzle-orm/pg-core";
import { users } from "../identity/users.ts";
import { instant, reference } from "../platform/columns.ts";

/** The secret address of a person's calendar feed; only the hash is stored. */
export const calendarAddresses = pgTable("calendar_addresses", {
  user_id: reference(() => users.id, "cascade").primaryKey(),
  token_hash: varchar({ length: 64 }).notNull().unique(),
  created_at: instant().notNull(),
});
