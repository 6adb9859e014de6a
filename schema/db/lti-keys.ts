import { integer, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { instant, jsonObject, now } from "./columns.ts";

/**
 * The keys that the tool signs with towards the platforms of LTI. The next one is published long before it signs, so that
 * a platform which reads the key set seldom knows it by then.
 */
export const ltiKeys = pgTable("lti_keys", {
  /** Its thumbprint (RFC 7638), the `kid` of what it signs. */
  id: varchar({ length: 64 }).primaryKey(),
  /** Counted from 1: of two who make the next key at once one is kept. */
  serial_number: integer().notNull().unique(),
  public_jwk: jsonObject().notNull(),
  /** Encrypted (lib/secrets/encryption.ts). */
  private_key: text().notNull(),
  /** From when on it signs, until a later one does. */
  signs_from: instant().notNull(),
  created_at: instant().notNull().default(now),
});
