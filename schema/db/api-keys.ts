import { sql } from "drizzle-orm";
import { check, index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { type ApiKeyScope, apiKeyScopes } from "../enums.ts";
import { calendarDate, id, instant, now, reference } from "./columns.ts";
import { universities } from "./universities.ts";
import { users } from "./users.ts";

/**
 * Keys with which a university's machines call the service, in the name of the administrator who made or adopted them: who
 * may no longer administer the university takes their keys' worth along. Of a key itself only its hash is kept.
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
    /** By the day in UTC. */
    last_used_on: calendarDate(),
    /** When the university's administrators were last told by mail that it ends; null for whoever has adopted it since. */
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
