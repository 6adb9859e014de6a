import { sql } from "drizzle-orm";
import { check, index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { type ApiKeyScope, apiKeyScopes } from "../../enums.ts";
import { calendarDate, id, instant, now, reference } from "../platform/columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * API keys of a university's machines. They act in the name of the administrator who created or adopted them,
 * and stop working when that person loses the role. Only a key's hash is stored.
 */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    name: varchar({ length: 255 }).notNull(),
    scopes: text().array().$type<ApiKeyScope[]>().notNull(),
    /** SHA-256 of the key, in hex. */
    key_hash: varchar({ length: 64 }).notNull(),
    maker_id: reference(() => users.id, "cascade").notNull(),
    created_at: instant().notNull().default(now),
    expires_at: instant().notNull(),
    revoked_at: instant(),
    /** The day in UTC. */
    last_used_on: calendarDate(),
    /** When administrators were last mailed about its expiry; reset by adoption. */
    warned_at: instant(),
  },
  (table) => [
    index().on(table.university_id, table.id),
    index().on(table.maker_id),
    check(
      "api_keys_scopes_check",
      sql`cardinality(scopes) > 0 and scopes <@ ${sql.raw(`array[${apiKeyScopes.map((scope) => `'${scope}'`).join(", ")}]`)}`,
    ),
  ],
);
