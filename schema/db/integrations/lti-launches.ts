import { index, integer, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { users } from "../identity/users.ts";
import { calendarDate, id, instant, jsonObject, reference } from "../platform/columns.ts";
import { ltiPlatforms } from "./lti-platforms.ts";

/** An accepted launch whose page has not fetched its session; the exchange deletes the row. */
export const ltiLaunchCodes = pgTable(
  "lti_launch_codes",
  {
    /** SHA-256 of the page's code. */
    code_hash: varchar({ length: 64 }).primaryKey(),
    platform_id: reference(() => ltiPlatforms.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** SHA-256 of a key that the page created before the launch; null if it could not. */
    challenge: varchar({ length: 64 }),
    /** The response for the page, and the scope of its session. */
    launch: jsonObject().notNull(),
    expires_at: instant().notNull(),
  },
  (table) => [index().on(table.platform_id), index().on(table.user_id), index().on(table.expires_at)],
);

/** Rejected launches of a platform by day and reason, with the last one. */
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
