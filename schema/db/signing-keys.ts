import { pgTable, text, varchar } from "drizzle-orm/pg-core";
import { instant, jsonObject, now } from "./columns.ts";

/**
 * The keys that the platform signs credentials with. All stay published, so that what they signed can be verified; the
 * one that this SECRET_KEY opens is signed with.
 */
export const signingKeys = pgTable("signing_keys", {
  /** Its thumbprint (RFC 7638). */
  id: varchar({ length: 64 }).primaryKey(),
  /** Says which SECRET_KEY opens it, and tells nothing of either. */
  secret_mark: varchar({ length: 64 }).notNull().unique(),
  public_jwk: jsonObject().notNull(),
  private_key: text().notNull(),
  created_at: instant().notNull().default(now),
});
