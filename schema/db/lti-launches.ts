import { index, integer, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { calendarDate, id, instant, jsonObject, reference } from "./columns.ts";
import { ltiPlatforms } from "./lti-platforms.ts";
import { users } from "./users.ts";

/** A launch that was accepted and whose page has not asked for its session yet: the exchange deletes the row. */
export const ltiLaunchCodes = pgTable(
  "lti_launch_codes",
  {
    /** The SHA-256 of the code that the page has. */
    code_hash: varchar({ length: 64 }).primaryKey(),
    platform_id: reference(() => ltiPlatforms.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** The SHA-256 of a key that the page made before it launched; null where it could not. */
    challenge: varchar({ length: 64 }),
    /** What the page is told and its session is for. */
    launch: jsonObject().notNull(),
    expires_at: instant().notNull(),
  },
  (table) => [index().on(table.platform_id), index().on(table.user_id), index().on(table.expires_at)],
);

/** How many launches of a platform were refused on a day, for what, and the last of them. */
export const ltiRefusedLaunches = pgTable(
  "lti_refused_launches",
  {
    id: id(),
    platform_id: reference(() => ltiPlatforms.id, "cascade").notNull(),
    /** In UTC. */
    day: calendarDate().notNull(),
    reason: varchar({ length: 32 }).notNull(),
    launches: integer().notNull(),
    last_at: instant().notNull(),
    last_request_id: varchar({ length: 64 }),
  },
  (table) => [unique().on(table.platform_id, table.day, table.reason), index().on(table.day)],
);
