import { integer, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { instant, jsonObject, now } from "../platform/columns.ts";

/**
 * The tool's signing keys for LTI. The next key is published long before use, so even platforms that cache
 * key sets for long know it.
 */
export const ltiKeys = pgTable("lti_keys", {
  /** The thumbprint (RFC 7638), used as `kid`. */
  id: varchar({ length: 64 }).primaryKey(),
  /** Counted from 1; unique, so concurrent creation keeps one key. */
  serial_number: integer().notNull().unique(),
  public_jwk: jsonObject().notNull(),
  /** Encrypted (lib/platform/secrets/encryption.ts). */
  private_key: text().notNull(),
  /** When it becomes the current key. */
  signs_from: instant().notNull(),
  created_at: instant().notNull().default(now),
});
