import { sql } from "drizzle-orm";
import { check, index, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { type LtiLinking, ltiLinkings } from "../enums.ts";
import { id, instant, now, oneOf, reference, upperEnum } from "./columns.ts";
import { ltiPlatforms } from "./lti-platforms.ts";
import { users } from "./users.ts";

/**
 * Whom a platform knows, by the subject that it gives them (`sub`), and whose account that is here. One account may stand
 * for people of several platforms.
 */
export const ltiPeople = pgTable(
  "lti_people",
  {
    id: id(),
    platform_id: reference(() => ltiPlatforms.id, "cascade").notNull(),
    subject: varchar({ length: 255 }).notNull(),
    /** Null once staff have undone the link: from then on only a sign-in links the subject anew, or an account is made. */
    user_id: reference(() => users.id, "cascade"),
    linked_by: upperEnum<LtiLinking>(),
    /** When staff undid a link the last time: it was wrong, and no link is made silently any more. */
    unlinked_at: instant(),
    /** What the platform told of them last, launch or roster. */
    told_name: varchar({ length: 255 }),
    told_email: varchar({ length: 255 }),
    told_sourced_id: varchar({ length: 255 }),
    /** Null for whom a roster alone has named. */
    last_launched_at: instant(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    unique().on(table.platform_id, table.subject),
    index().on(table.user_id),
    index().on(table.platform_id, table.last_launched_at),
    oneOf(table.linked_by, ltiLinkings),
    check("lti_people_linked_check", sql`num_nonnulls(${table.user_id}, ${table.linked_by}) <> 1`),
  ],
);
