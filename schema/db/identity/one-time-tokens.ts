import { index, pgTable, varchar } from "drizzle-orm/pg-core";
import { type TokenPurpose, tokenPurposes } from "../../enums.ts";
import { id, instant, lowerEnum, now, oneOf, reference } from "../platform/columns.ts";
import { users } from "./users.ts";

/** A mailed token for one use: deleting its row uses it. */
export const oneTimeTokens = pgTable(
  "one_time_tokens",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    purpose: lowerEnum<TokenPurpose>().notNull(),
    /** SHA-256 in hexadecimal; the token itself is only in the mail. */
    token_hash: varchar({ length: 64 }).notNull().unique(),
    /** The recipient, whose control of the address it proves. */
    email: varchar({ length: 255 }).notNull(),
    expires_at: instant().notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [index().on(table.user_id), index().on(table.expires_at), oneOf(table.purpose, tokenPurposes)],
);
