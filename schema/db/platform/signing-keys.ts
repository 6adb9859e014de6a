import { pgTable, text, varchar } from "drizzle-orm/pg-core";
import { instant, jsonObject, now } from "./columns.ts";

/**
 * The platform's keys for signing credentials. All stay published for verification; the one that the current
 * SECRET_KEY decrypts is used.
 */
export const signingKeys = pgTable("signing_keys", {
  /** The thumbprint (RFC 7638). */
  id: varchar({ length: 64 }).primaryKey(),
  /** Identifies the SECRET_KEY without revealing either. */
  secret_mark: varchar({ length: 64 }).notNull().unique(),
  public_jwk: jsonObject().notNull(),
  private_key: text().notNull(),
  created_at: instant().notNull().default(now),
});
