import { pgTable, varchar } from "drizzle-orm/pg-core";
import { instant, reference } from "./columns.ts";
import { users } from "./users.ts";

/** The secret address under which a person's calendar program reads their dates; of the secret the hash alone. */
export const calendarAddresses = pgTable("calendar_addresses", {
  user_id: reference(() => users.id, "cascade").primaryKey(),
  token_hash: varchar({ length: 64 }).notNull().unique(),
  created_at: instant().notNull(),
});
